// The vendor's own client against the fake: what it accepts is the vendor's protocol.
// Address and key come from the environment, under the client's own names.
import assert from 'node:assert/strict'
import { Daytona } from '@daytonaio/sdk'

async function until(what, holds) {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const daytona = new Daytona()
const sandbox = await daytona.create({ labels: { scenario: 'one two' }, envVars: { A: '1' }, autoStopInterval: 5 })
assert.equal(sandbox.state, 'started')
const home = await sandbox.getUserHomeDir()

// Commands
const ok = await sandbox.process.executeCommand('echo "$A $B"', home, { B: '2' }, 10)
assert.equal(ok.result, '1 2\n')
assert.equal(ok.exitCode, 0)
assert.equal((await sandbox.process.executeCommand('exit 3')).exitCode, 3)

// A session
await sandbox.process.createSession('s1')
const split = await sandbox.process.executeSessionCommand('s1', { command: 'cd /; echo out; echo err >&2' })
assert.equal(split.stdout, 'out\n')
assert.equal(split.stderr, 'err\n')
assert.equal(split.exitCode, 0)
const later = await sandbox.process.executeSessionCommand('s1', {
  command: 'pwd; read x; echo "got $x"',
  runAsync: true,
})
// Input before the command runs is refused.
const begun = Date.now()
while (!(await sandbox.process.getSessionCommandLogs('s1', later.cmdId)).output.includes('/\n')) {
  assert.ok(Date.now() - begun < 10_000, 'the command did not begin')
}
await sandbox.process.sendSessionCommandInput('s1', later.cmdId, 'it')
let followed = ''
await sandbox.process.getSessionCommandLogs(
  's1',
  later.cmdId,
  (chunk) => (followed += chunk),
  () => {},
)
assert.match(followed, /^\/\n[\s\S]*got it\n$/)
assert.equal((await sandbox.process.getSessionCommand('s1', later.cmdId)).exitCode, 0)
await sandbox.process.deleteSession('s1')

// A terminal
let seen = ''
const decoder = new TextDecoder()
const pty = await sandbox.process.createPty({
  id: 'p1',
  cols: 80,
  rows: 24,
  envs: { B: '2' },
  onData: (data) => (seen += decoder.decode(data, { stream: true })),
})
await pty.waitForConnection()
await pty.sendInput('stty size; echo $((6*7)) $B\n')
await until('24 80 and 42 2', () => /24 80[\s\S]*42 2/.test(seen))
await pty.resize(100, 30)
await pty.sendInput('stty size\n')
await until('30 100', () => seen.includes('30 100'))
await pty.sendInput('exit 5\n')
assert.equal((await pty.wait()).exitCode, 5)
const killed = await sandbox.process.createPty({ id: 'p2', onData: () => {} })
await killed.waitForConnection()
assert.ok((await sandbox.process.listPtySessions()).some((each) => each.id === 'p2'))
await killed.kill()
assert.equal((await killed.wait()).exitCode, 137)

// Files
await sandbox.fs.createFolder(`${home}/dir`, '755')
await sandbox.fs.uploadFile(Buffer.from('content'), `${home}/dir/a b é.txt`)
assert.equal((await sandbox.fs.downloadFile(`${home}/dir/a b é.txt`)).toString(), 'content')
assert.deepEqual((await sandbox.fs.listFiles(`${home}/dir`)).map((each) => each.name), ['a b é.txt'])
await sandbox.fs.moveFiles(`${home}/dir/a b é.txt`, `${home}/dir/b`)
assert.equal((await sandbox.fs.getFileDetails(`${home}/dir/b`)).size, 7)
await sandbox.fs.deleteFile(`${home}/dir`, true)
await assert.rejects(sandbox.fs.downloadFile(`${home}/dir/b`))

// Its life
const link = await sandbox.getPreviewLink(3000)
assert.match(link.url, /3000/)
const signed = await sandbox.getSignedPreviewUrl(3000, 60)
assert.ok(signed.url.includes(signed.token))
await sandbox.expireSignedPreviewUrl(3000, signed.token)
await sandbox.stop()
assert.equal(sandbox.state, 'stopped')
await sandbox.start()
assert.equal((await sandbox.process.executeCommand('echo again')).result, 'again\n')
assert.notEqual((await sandbox.getPreviewLink(3000)).token, link.token)

// Snapshots
await sandbox.fs.uploadFile(Buffer.from('content'), `${home}/kept`)
await sandbox._experimental_createSnapshot('scenario')
await until('it is active', async () => (await daytona.snapshot.get('scenario')).state === 'active')
const copy = await daytona.create({ snapshot: 'scenario' })
const there = await copy.getUserHomeDir()
assert.equal((await copy.fs.downloadFile(`${there}/kept`)).toString(), 'content')
await copy.delete()
await daytona.snapshot.delete(await daytona.snapshot.get('scenario'))
await assert.rejects(daytona.snapshot.get('scenario'))
const found = await daytona.get(sandbox.id)
assert.equal(found.labels.scenario, 'one two')
await sandbox.delete()
await until('it is gone', async () => {
  try {
    return (await daytona.get(sandbox.id)).state === 'destroyed'
  } catch {
    return true
  }
})
console.log('the scenario has passed')
process.exit(0)
