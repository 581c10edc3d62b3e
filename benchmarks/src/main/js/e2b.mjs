// The vendor's own client, measured: a line with a name runs that once and answers nanoseconds.
import { createInterface } from 'node:readline'
import { Sandbox } from 'e2b'

const begin = () => process.hrtime.bigint()
let box
let pty
let heard = () => {}

const measures = {
  async lifecycle() {
    const from = begin()
    const sandbox = await Sandbox.create('base')
    const result = await sandbox.commands.run('echo hi')
    await sandbox.kill()
    if (result.stdout !== 'hi\n') throw new Error(result.stdout)
    return begin() - from
  },
  async exec() {
    box ??= await Sandbox.create('base')
    const from = begin()
    await box.commands.run('echo hi')
    return begin() - from
  },
  async echo() {
    box ??= await Sandbox.create('base')
    if (!pty) {
      const up = new Promise((resolve) => {
        let text = ''
        heard = (data) => {
          text += Buffer.from(data).toString('latin1')
          if (text.includes('go\n')) resolve()
        }
      })
      pty = await box.pty.create({ cols: 80, rows: 24, timeoutMs: 0, onData: (data) => heard(data) })
      await box.pty.sendInput(pty.pid, Buffer.from("stty raw -echo; printf 'g%s\\n' o; exec cat\n"))
      await up
    }
    const back = new Promise((resolve) => (heard = resolve))
    const from = begin()
    await Promise.all([box.pty.sendInput(pty.pid, Buffer.from('x')), back])
    return begin() - from
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(String(await measures[line]()))
}
await box?.kill()
process.exit(0)
