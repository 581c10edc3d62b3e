// The vendor's own client against the fake: what it accepts is the vendor's protocol.
// Addresses and tokens come from the environment, under the client's own names.
import assert from 'node:assert/strict'
import { ModalClient, AlreadyExistsError, NotFoundError } from 'modal'

async function until(what, holds) {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What comes from a stream until it holds; a terminal has no end of its own. */
async function reads(reader, holds) {
  let seen = ''
  while (!holds(seen)) {
    const { value, done } = await reader.read()
    assert.ok(!done, `ended at: ${seen}`)
    seen += value
  }
  return seen
}

const modal = new ModalClient()
const app = await modal.apps.fromName('scenario', { createIfMissing: true })
assert.match(app.appId, /^ap-[0-9A-Za-z]{22}$/)
await assert.rejects(modal.apps.fromName('no-such-app'), NotFoundError)
const image = modal.images.fromRegistry('python:3.14-slim')
await assert.rejects(modal.images.fromRegistry('nothing').build(app))

async function run(second) {
  const sandbox = await modal.sandboxes.create(app, image, {
    env: { A: '1' },
    tags: { scenario: 'one' },
    name: `scenario-${second}`,
    encryptedPorts: [8080],
    timeoutMs: 120_000,
  })
  assert.equal(/^sb-[0-9A-Za-z]{22}$/.test(sandbox.sandboxId), !second)
  assert.equal(await sandbox.poll(), null)
  await assert.rejects(
    modal.sandboxes.create(app, image, { name: `scenario-${second}` }),
    AlreadyExistsError,
  )

  // Commands
  const command = await sandbox.exec(['sh', '-c', 'echo "$A $B"; echo e >&2; exit 7'], { env: { B: '2' } })
  assert.equal(await command.stdout.readText(), '1 2\n')
  assert.equal(await command.stderr.readText(), 'e\n')
  assert.equal(await command.wait(), 7)
  const cat = await sandbox.exec(['cat'])
  await cat.stdin.writeText('hello\n')
  await cat.closeStdin()
  assert.equal(await cat.stdout.readText(), 'hello\n')
  assert.equal(await cat.wait(), 0)
  const large = await sandbox.exec(['sh', '-c', 'head -c 3000000 /dev/zero'], { mode: 'binary' })
  assert.equal((await large.stdout.readBytes()).length, 3_000_000)
  const killed = await sandbox.exec(['sh', '-c', 'kill -9 $$'])
  assert.equal(await killed.wait(), 137)
  const placed = await sandbox.exec(['pwd'], { workdir: '/tmp' })
  assert.equal(await placed.stdout.readText(), '/tmp\n')

  // A limit kills the command and not the sandbox; which side says so first is open.
  const slow = await sandbox.exec(['sleep', '100'], { timeoutMs: 1000 })
  const code = await slow.wait().catch(() => 137)
  assert.equal(code, 137)
  assert.equal(await sandbox.poll(), null)

  // A terminal; its size is changed and its process ended by commands
  const home = (await (await sandbox.exec(['sh', '-c', 'echo $HOME'])).stdout.readText()).trim()
  const pid = `${home}/pid`
  const terminal = await sandbox.exec(
    ['sh', '-c', 'echo $$ > "$0"; exec "$@"', pid, 'sh', '-c', 'stty size; exec cat'],
    { pty: true },
  )
  const reader = terminal.stdout.getReader()
  await reads(reader, (seen) => seen.includes('24 80\r\n'))
  await terminal.stdin.writeText('typed\n')
  await reads(reader, (seen) => seen.includes('typed\r\n'))
  const resize = await sandbox.exec(['sh', '-c', `stty -F /proc/$(cat ${pid})/fd/0 rows 33 cols 99`])
  assert.equal(await resize.wait(), 0)
  const size = await sandbox.exec(['sh', '-c', `stty -F /proc/$(cat ${pid})/fd/0 size`])
  assert.equal(await size.stdout.readText(), '33 99\n')
  await (await sandbox.exec(['sh', '-c', `kill -KILL -$(cat ${pid})`])).wait()
  assert.equal(await terminal.wait(), 137)

  // Ports and tags
  const tunnels = await sandbox.tunnels()
  assert.match(tunnels[8080].url, /^https:\/\//)
  assert.deepEqual(await sandbox.getTags(), { scenario: 'one' })
  await sandbox.setTags({ scenario: 'two' })

  // Snapshots
  await (await sandbox.exec(['sh', '-c', `mkdir ${home}/work && echo kept > ${home}/work/file`])).wait()
  const directory = await sandbox.snapshotDirectory(`${home}/work`)
  assert.match(directory.imageId, /^im-/)
  await sandbox.mountImage(`${home}/again`, directory)
  const kept = await sandbox.exec(['cat', `${home}/again/file`])
  assert.equal(await kept.stdout.readText(), 'kept\n')
  const whole = await sandbox.snapshotFilesystem()
  const other = await modal.sandboxes.create(app, whole)
  const there = await other.exec(['sh', '-c', 'cat $HOME/work/file'])
  assert.equal(await there.stdout.readText(), 'kept\n')
  assert.equal(await other.terminate({ wait: true }), 137)
  await modal.images.delete(whole.imageId)

  // Found again, and ended
  const same = await modal.sandboxes.fromId(sandbox.sandboxId)
  const again = await same.exec(['echo', 'back'])
  assert.equal(await again.stdout.readText(), 'back\n')
  const named = await modal.sandboxes.fromName('scenario', `scenario-${second}`)
  assert.equal(named.sandboxId, sandbox.sandboxId)
  const listed = []
  for await (const each of modal.sandboxes.list({ appId: app.appId, tags: { scenario: 'two' } })) {
    listed.push(each.sandboxId)
  }
  assert.deepEqual(listed, [sandbox.sandboxId])
  await sandbox.terminate()
  assert.equal(await sandbox.wait(), 137)
  assert.equal(await sandbox.poll(), 137)
  await until('the end', async () => {
    try {
      await (await modal.sandboxes.fromId(sandbox.sandboxId)).exec(['true'])
      return false
    } catch {
      return true
    }
  })
}

// The client takes the kind from its environment.
await run(process.env.MODAL_SANDBOX_V2 !== '0')
modal.close()
console.log('the scenario has passed')
