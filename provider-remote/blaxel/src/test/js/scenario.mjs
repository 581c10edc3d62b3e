// The vendor's own client against the fake: what it accepts is the vendor's protocol.
// Address, key and workspace come from the environment, under the client's own names.
import assert from 'node:assert/strict'
import { SandboxInstance } from '@blaxel/core'
import WebSocket from 'ws'

async function until(what, holds) {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const sandbox = await SandboxInstance.create({
  name: 'scenario-1',
  image: 'blaxel/base-image:latest',
  region: 'us-pdx-1',
  labels: { scenario: 'one' },
  envs: [{ name: 'A', value: '1' }],
  ports: [{ target: 3000, protocol: 'HTTP' }],
})
assert.equal(sandbox.status, 'DEPLOYED')
const again = await SandboxInstance.createIfNotExists({ name: 'scenario-1', region: 'us-pdx-1' })
assert.equal(again.metadata.name, 'scenario-1')

// Commands
const ok = await sandbox.process.exec({
  command: 'echo "$A $B"; echo err >&2',
  env: { B: '2' },
  waitForCompletion: true,
  timeout: 10,
})
assert.equal(ok.stdout, '1 2\n')
assert.equal(ok.stderr, 'err\n')
assert.equal(ok.exitCode, 0)
assert.equal(ok.status, 'completed')
const bad = await sandbox.process.exec({ command: 'exit 3', waitForCompletion: true })
assert.equal(bad.exitCode, 3)
assert.equal(bad.status, 'failed')
let streamed = ''
const stream = await sandbox.process.exec({
  command: 'for i in 1 2 3; do echo $i; sleep 0.05; done',
  waitForCompletion: true,
  onStdout: (text) => (streamed += text),
})
assert.equal(streamed, '1\n2\n3\n')
assert.equal(stream.exitCode, 0)
await sandbox.process.exec({ name: 'long', command: 'sleep 60' })
assert.equal((await sandbox.process.get('long')).status, 'running')
await sandbox.process.kill('long')
await until('it is killed', async () => (await sandbox.process.get('long')).status === 'killed')
await assert.rejects(sandbox.process.exec({ command: 'sleep 9', waitForCompletion: true, timeout: 1 }))
await assert.rejects(sandbox.process.exec({ command: 'true', workingDir: '/none' }))

// A terminal, as the vendor's web page opens one: its client has none
const url = new URL(sandbox.metadata.url.replace(/^http/, 'ws') + '/terminal/ws')
url.search = new URLSearchParams({
  token: process.env.BL_API_KEY,
  cols: '100',
  rows: '30',
  sessionId: 's1',
  shell: '/bin/sh',
})
let seen = ''
const open = (address) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(address)
    socket.on('message', (data) => {
      const frame = JSON.parse(data)
      if (frame.type === 'output') seen += frame.data
    })
    socket.on('open', () => resolve(socket))
    socket.on('error', reject)
  })
const type = (socket, data) => socket.send(JSON.stringify({ type: 'input', data }))
const first = await open(url)
type(first, 'stty size; echo $((6*7))\n')
await until('30 100 and 42', () => /30 100[\s\S]*42/.test(seen))
first.send(JSON.stringify({ type: 'resize', cols: 90, rows: 20 }))
type(first, 'stty size\n')
await until('20 90', () => seen.includes('20 90'))
first.terminate()
seen = ''
const second = await open(url)
await until('the replay', () => seen.startsWith('\u001b[0m') && seen.includes('42'))
type(second, 'exit\n')
let closed = false
second.on('close', () => (closed = true))
await until('the end, once something is said', () => {
  second.send('{"type":"noop"}')
  return closed
})

// Files
const home = (await sandbox.process.exec({ command: 'cd && pwd', waitForCompletion: true })).stdout.trim()
await sandbox.fs.mkdir(`${home}/dir`)
await sandbox.fs.write(`${home}/dir/a`, 'content')
assert.equal(await sandbox.fs.read(`${home}/dir/a`), 'content')
const bytes = Buffer.from([0, 255, 1, 254])
await sandbox.fs.writeBinary(`${home}/dir/b`, bytes)
const back = await sandbox.fs.readBinary(`${home}/dir/b`)
assert.deepEqual(Buffer.from(await back.arrayBuffer()), bytes)
assert.deepEqual((await sandbox.fs.ls(`${home}/dir`)).files.map((each) => each.name), ['a', 'b'])
const large = Buffer.alloc(11 << 20, 7)
await sandbox.fs.writeBinary(`${home}/large`, large)
const size = await sandbox.process.exec({ command: `wc -c <${home}/large`, waitForCompletion: true })
assert.equal(size.stdout.trim(), String(large.length))
await sandbox.fs.rm(`${home}/dir`, true)
await assert.rejects(sandbox.fs.read(`${home}/dir/a`))

// Its life
const preview = await sandbox.previews.createIfNotExists({
  metadata: { name: 'port-3000' },
  spec: { port: 3000, public: false },
})
assert.match(preview.spec.url, /^https:/)
assert.ok((await preview.tokens.create(new Date(Date.now() + 60_000))).value)
const found = await SandboxInstance.get('scenario-1')
assert.equal(found.metadata.labels.scenario, 'one')
await SandboxInstance.delete('scenario-1')
await until('it is gone', async () => {
  try {
    return (await SandboxInstance.get('scenario-1')).status === 'TERMINATED'
  } catch {
    return true
  }
})
console.log('the scenario has passed')
process.exit(0)
