import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { processorSeconds, residentMegabytes, startProgram, stopProgram, waitFor } from './process.ts'

test('a program is started, heard, measured and stopped', async () => {
  const script = 'console.log("here"); setInterval(() => {}, 1000)'
  const program = startProgram(['--eval', script])
  await waitFor('its first line', 20_000, async () => program.lines[0] ?? null)
  expect(program.lines).toEqual(['here'])
  expect(residentMegabytes(program.child.pid ?? 0)).toBeGreaterThan(10)
  await stopProgram(program, 5_000)
  expect(program.child.signalCode).toBe('SIGTERM')
})

test('a program that does not stop when asked is ended, and that is an error', async () => {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("here")'
  const program = startProgram(['--eval', script])
  await waitFor('its first line', 20_000, async () => program.lines[0] ?? null)
  await expect(stopProgram(program, 100)).rejects.toThrow('did not stop')
})

test('waiting ends with an error when the time is over', async () => {
  await expect(waitFor('what never comes', 30, async () => null)).rejects.toThrow('what never comes')
})

test('processor time grows with work in the main thread, if the system reports it', () => {
  const before = processorSeconds(process.pid)
  expect(before !== null).toBe(existsSync('/proc/self/stat'))
  const end = process.cpuUsage().user + 300_000
  while (process.cpuUsage().user < end) JSON.stringify(process.cpuUsage())
  const after = processorSeconds(process.pid)
  expect((after?.all ?? 1) - (before?.all ?? 0)).toBeGreaterThan(0.2)
})
