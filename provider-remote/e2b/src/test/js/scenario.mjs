// The vendor's own client against the fake: what it accepts is the vendor's protocol.
// Addresses and key come from the environment, under the client's own names.
import assert from 'node:assert/strict'
import { Sandbox, CommandExitError, NotFoundError } from 'e2b'

const text = (chunks) => Buffer.concat(chunks).toString('utf8')

async function until(what, holds) {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const sandbox = await Sandbox.create('base', { metadata: { scenario: 'one two' }, envs: { A: '1' } })
assert.match(sandbox.sandboxId, /^[a-z0-9]+$/)
assert.equal(await sandbox.isRunning(), true)

// Commands
const ok = await sandbox.commands.run('echo "$A $B"; echo e >&2', { envs: { B: '2' } })
assert.equal(ok.stdout, '1 2\n')
assert.equal(ok.stderr, 'e\n')
assert.equal(ok.exitCode, 0)
await assert.rejects(sandbox.commands.run('exit 3'), (e) => {
  assert.ok(e instanceof CommandExitError)
  assert.equal(e.exitCode, 3)
  return true
})
await assert.rejects(sandbox.commands.run('no-such-program'), (e) => e.exitCode === 127)
const cat = await sandbox.commands.run('cat', { background: true, stdin: true })
await sandbox.commands.sendStdin(cat.pid, 'hello\n')
await until('the echo', () => cat.stdout === 'hello\n')
assert.ok((await sandbox.commands.list()).some((p) => p.pid === cat.pid))
assert.equal(await sandbox.commands.kill(cat.pid), true)
await assert.rejects(cat.wait())
assert.equal(await sandbox.commands.kill(999_999_999), false)

// A terminal
const seen = []
const pty = await sandbox.pty.create({ cols: 80, rows: 24, onData: (data) => seen.push(data) })
await sandbox.pty.sendInput(pty.pid, Buffer.from('stty size; echo $((6*7))\n'))
await until('24 80 and 42', () => /24 80[\s\S]*42/.test(text(seen)))
await sandbox.pty.resize(pty.pid, { cols: 100, rows: 30 })
await sandbox.pty.sendInput(pty.pid, Buffer.from('stty size\n'))
await until('30 100', () => text(seen).includes('30 100'))
assert.equal(await sandbox.pty.kill(pty.pid), true)
await assert.rejects(pty.wait())

// Files
await sandbox.files.write('dir/a b é.txt', 'content')
assert.equal(await sandbox.files.read('dir/a b é.txt'), 'content')
assert.deepEqual((await sandbox.files.list('dir')).map((e) => e.name), ['a b é.txt'])
assert.equal(await sandbox.files.exists('dir/none'), false)
assert.equal(await sandbox.files.makeDir('dir/sub'), true)
assert.equal(await sandbox.files.makeDir('dir/sub'), false)
await sandbox.files.rename('dir/a b é.txt', 'dir/sub/b')
assert.equal(await sandbox.files.read('dir/sub/b'), 'content')
await sandbox.files.remove('dir')
await assert.rejects(sandbox.files.read('dir/sub/b'), (e) => e instanceof NotFoundError)

// Its life
await sandbox.setTimeout(120_000)
const info = await sandbox.getInfo()
assert.equal(info.metadata.scenario, 'one two')
const listed = Sandbox.list({ query: { metadata: { scenario: 'one two' } } })
assert.deepEqual((await listed.nextItems()).map((s) => s.sandboxId), [sandbox.sandboxId])
const kept = await sandbox.commands.run('read x; echo got $x', { background: true, stdin: true })
assert.equal(await sandbox.pause(), true)
assert.equal(await Sandbox.pause(sandbox.sandboxId), false)
assert.equal(await sandbox.isRunning(), false)
const again = await Sandbox.connect(sandbox.sandboxId)
assert.equal(await again.isRunning(), true)
const back = await again.commands.connect(kept.pid)
await again.commands.sendStdin(kept.pid, 'it\n')
assert.equal((await back.wait()).stdout, 'got it\n')

// Snapshots
await again.files.write('kept', 'content')
const snapshot = await again.createSnapshot({ name: 'scenario' })
const known = await again.listSnapshots().nextItems()
assert.deepEqual(known.map((s) => s.snapshotId), [snapshot.snapshotId])
assert.ok(known[0].names.some((name) => name.includes('scenario')))
const copy = await Sandbox.create(snapshot.snapshotId)
assert.equal(await copy.files.read('kept'), 'content')
await copy.kill()
assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true)
assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false)

// Ports
const closed = await Sandbox.create('base', { network: { allowPublicTraffic: false } })
assert.match(closed.trafficAccessToken, /./)
assert.match(closed.getHost(3000), /^3000-/)
await closed.kill()
assert.equal(await again.kill(), true)
assert.equal(await Sandbox.kill(sandbox.sandboxId), false)
console.log('the scenario has passed')
process.exit(0)
