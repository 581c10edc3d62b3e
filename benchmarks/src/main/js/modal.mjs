// The vendor's own client, measured: a line with a name runs that once and answers nanoseconds.
import { createInterface } from 'node:readline'
import { ModalClient } from 'modal'

const modal = new ModalClient()
const app = await modal.apps.fromName('bench', { createIfMissing: true })
const image = modal.images.fromRegistry('python:3.14-slim')
let terminal
let reader
let box

async function reads(holds) {
  let seen = ''
  while (!holds(seen)) {
    const { value, done } = await reader.read()
    if (done) throw new Error('ended')
    seen += value
  }
}

const measures = {
  async lifecycle() {
    const from = process.hrtime.bigint()
    const sandbox = await modal.sandboxes.create(app, image)
    const command = await sandbox.exec(['echo', 'hi'])
    const text = await command.stdout.readText()
    await command.wait()
    await sandbox.terminate({ wait: true })
    if (text !== 'hi\n') throw new Error(text)
    return process.hrtime.bigint() - from
  },
  async echo() {
    if (!terminal) {
      box = await modal.sandboxes.create(app, image)
      terminal = await box.exec(['sh', '-c', 'stty raw -echo; echo up; exec cat'], { pty: true })
      reader = terminal.stdout.getReader()
      await reads((seen) => seen.includes('up'))
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    const from = process.hrtime.bigint()
    await Promise.all([terminal.stdin.writeText('x'), reads((seen) => seen.includes('x'))])
    return process.hrtime.bigint() - from
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(String(await measures[line]()))
}
await box?.terminate()
process.exit(0)
