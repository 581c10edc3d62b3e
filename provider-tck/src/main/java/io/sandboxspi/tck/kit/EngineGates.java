package io.sandboxspi.tck.kit;

import io.sandboxspi.core.session.EngineHooks;
import io.sandboxspi.core.session.HookPoint;
import io.sandboxspi.tck.fault.Gate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Holds the engine at its hook points. Thread-safe. */
public final class EngineGates implements EngineHooks {
  private final Map<HookPoint, Runnable> once = new EnumMap<>(HookPoint.class);
  private final List<Gate> gates = new CopyOnWriteArrayList<>();
  private final List<Runnable> always = new ArrayList<>();

  EngineGates() {}

  /** Blocks the next arrival at the point. */
  public Gate block(HookPoint point) {
    Gate gate = Gate.stuck();
    gates.add(gate);
    run(point, gate::passKeepingInterrupt);
    return gate;
  }

  /** Runs something at the next arrival at the point. */
  public synchronized void run(HookPoint point, Runnable action) {
    once.put(point, action);
  }

  /** Runs something at every arrival at any point. */
  public synchronized void sample(Runnable action) {
    always.add(action);
  }

  @Override
  public void reached(HookPoint point, String launchId) {
    List<Runnable> toRun;
    @Nullable Runnable action;
    synchronized (this) {
      toRun = List.copyOf(always);
      action = once.remove(point);
    }
    toRun.forEach(Runnable::run);
    if (action != null) {
      action.run();
    }
  }

  /** Whether an action still waits for its point. */
  public synchronized boolean pending(HookPoint point) {
    return once.containsKey(point);
  }

  void end() {
    synchronized (this) {
      once.clear();
      always.clear();
    }
    gates.forEach(Gate::open);
  }
}
