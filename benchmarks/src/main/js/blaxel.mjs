// The vendor's own client, measured: a line with a name runs that once and answers nanoseconds.
import { createInterface } from 'node:readline'
import { SandboxInstance } from '@blaxel/core'

let count = 0

const measures = {
  async lifecycle() {
    const from = process.hrtime.bigint()
    const name = `bench-${process.pid}-${count++}`
    const sandbox = await SandboxInstance.create({
      name,
      image: 'blaxel/base-image:latest',
      region: 'us-pdx-1',
    })
    const result = await sandbox.process.exec({ command: 'echo hi', waitForCompletion: true })
    await SandboxInstance.delete(name)
    if (result.stdout !== 'hi\n') throw new Error(result.stdout)
    return process.hrtime.bigint() - from
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(String(await measures[line]()))
}
process.exit(0)
