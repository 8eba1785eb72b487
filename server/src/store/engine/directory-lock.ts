import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Another process holds the directory. Two engines on one directory would destroy it. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked'
  readonly directory: string
  readonly processId: number | null

  constructor(directory: string, processId: number | null) {
    super(`${directory} is in use by ${processId === null ? 'another process' : `process ${processId}`}`)
    this.directory = directory
    this.processId = processId
  }
}

interface Owner {
  token: string
  processId: number
  /** Of the process, in ticks since boot: a recycled process id has another one. Null where it is unknown. */
  startTicks: string | null
  /** Of the machine's boot, and of the space in which the process id has a meaning (containers have their own). */
  world: string | null
}

interface LockTimes {
  /** How often the holder touches its lock. */
  beatMs: number
  /** A lock untouched for this long, whose holder cannot be looked up, belongs to no one. */
  staleMs: number
  /** How long a holder that can be looked up is given to end: one that was killed needs a moment to be gone. */
  dyingMs: number
}

// Stale after three missed beats. Only a container that restarts at once on a killed one's directory ever waits for it.
// Dying: to unmap the memory of a large engine takes the kernel a second or two.
const usualTimes: LockTimes = { beatMs: 5_000, staleMs: 15_000, dyingMs: 3_000 }
/** How often it is looked whether a dying holder is gone. */
const lookMs = 20

/** Takes the directory for this process, or throws `DirectoryLocked`. The result gives it back. */
export async function lockDirectory(directory: string, wanted: Partial<LockTimes> = {}): Promise<() => void> {
  const times = { ...usualTimes, ...wanted }
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = path.join(directory, 'engine.lock')
  const own: Owner = { token: randomUUID(), ...processIdentity(process.pid) }
  while (!createWhole(file, own)) {
    const held = readLock(file)
    if (held === null) continue
    if (await isAlive(file, held, times)) throw new DirectoryLocked(directory, held.owner?.processId ?? null)
    discard(file, held.text)
  }
  const beat = setInterval(() => touch(file), times.beatMs)
  beat.unref()
  return () => {
    clearInterval(beat)
    if (readLock(file)?.owner?.token === own.token) fs.rmSync(file, { force: true })
  }
}

/** With its content at once: a reader never finds a lock that does not say whose it is. */
function createWhole(file: string, owner: Owner): boolean {
  const draft = `${file}.${owner.token}`
  fs.writeFileSync(draft, JSON.stringify(owner))
  try {
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

interface LockContent {
  text: string
  touchedMs: number
  owner: Owner | null
}

function readLock(file: string): LockContent | null {
  try {
    const text = fs.readFileSync(file, 'utf8')
    return { text, touchedMs: fs.statSync(file).mtimeMs, owner: parseOwner(text) }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

function parseOwner(text: string): Owner | null {
  let owner: unknown
  try {
    owner = JSON.parse(text)
  } catch {
    // Not ours, or cut short by a full disk. Its beat then shows whether anyone holds it.
    return null
  }
  return isOwner(owner) ? owner : null
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false
  if (!('token' in value && 'processId' in value && 'startTicks' in value && 'world' in value)) return false
  const { token, processId, startTicks, world } = value
  const isTextOrNull = (part: unknown): boolean => part === null || typeof part === 'string'
  return (
    typeof token === 'string' &&
    Number.isSafeInteger(processId) &&
    isTextOrNull(startTicks) &&
    isTextOrNull(world)
  )
}

async function isAlive(file: string, { owner, touchedMs }: LockContent, times: LockTimes): Promise<boolean> {
  const here = processIdentity(process.pid)
  if (owner?.startTicks && here.world !== null && owner.world === here.world)
    return outlives(file, owner, times.dyingMs)
  // From before a reboot, from another container or machine, or no process can be looked up here: does it still beat?
  for (let waitedMs = 0; Date.now() - touchedMs < times.staleMs; waitedMs += times.beatMs) {
    if (waitedMs > times.staleMs) break
    await new Promise((resolve) => setTimeout(resolve, times.beatMs))
    const later = readLock(file)
    if (later === null) return false
    if (later.touchedMs !== touchedMs) return true
  }
  return false
}

/** Whether the holder is still there after the time that a killed one may need to end, and still holds it. */
async function outlives(file: string, owner: Owner, dyingMs: number): Promise<boolean> {
  const end = Date.now() + (owner.processId === process.pid ? 0 : dyingMs)
  while (processIdentity(owner.processId).startTicks === owner.startTicks) {
    if (readLock(file)?.owner?.token !== owner.token) return false
    if (Date.now() >= end) return true
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
  return false
}

/** Removes the lock that was judged, and no other that may have taken its place meanwhile. */
function discard(file: string, judged: string): void {
  const aside = `${file}.${randomUUID()}`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw error
  }
  if (fs.readFileSync(aside, 'utf8') === judged) fs.rmSync(aside)
  else fs.renameSync(aside, file)
}

function processIdentity(processId: number): Omit<Owner, 'token'> {
  if (process.platform !== 'linux') return identityByPs(processId)
  const boot = orNull(() => fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const space = orNull(() => fs.readlinkSync('/proc/self/ns/pid'))
  if (boot === null || space === null) return { processId, startTicks: null, world: null }
  return { processId, startTicks: startTicks(processId), world: `${boot} ${space}` }
}

/** Null when it has ended: also when only its parent has not asked yet how it did. */
function startTicks(processId: number): string | null {
  const stat = readStat(`/proc/${processId}/stat`)
  if (stat === null || !isRunning(processId)) return null
  return stat[22 - 3] ?? null
}

/** A process lives as long as one of its threads; the first may be gone before the others. */
function isRunning(processId: number): boolean {
  const threads = orNull(() => fs.readdirSync(`/proc/${processId}/task`)) ?? []
  return threads.some((id) => {
    const state = readStat(`/proc/${processId}/task/${id}/stat`)?.[0] ?? 'X'
    return state !== 'Z' && state !== 'X' && state !== 'x'
  })
}

/** From the third field on, which is the state (proc(5)): the name before it is in brackets and may hold anything. */
function readStat(file: string): string[] | null {
  const stat = orNull(() => fs.readFileSync(file, 'utf8'))
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Null for a process or thread that is no more. */
function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return null
    throw error
  }
}

/** macOS and the BSDs have no /proc, and no process ids of containers either: `ps` shows start and state. */
function identityByPs(processId: number): Omit<Owner, 'token'> {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(processId)], {
    encoding: 'utf8',
  })
  // Without `ps` no process can be looked up; then the beat decides.
  if (status === null) return { processId, startTicks: null, world: null }
  return { processId, startTicks: startByPs(stdout), world: `${process.platform} ${os.hostname()}` }
}

/** Of a line such as `Ss   Mon Nov 16 09:12:44 2026`; null for a zombie, and where there is no line. */
export function startByPs(line: string): string | null {
  const [state = '', ...start] = line.trim().split(/\s+/)
  return state === '' || state.startsWith('Z') ? null : start.join(' ')
}

function touch(file: string): void {
  const now = new Date()
  try {
    fs.utimesSync(file, now, now)
  } catch (error) {
    // The directory was removed under a running engine (tests do that); the lock has nothing left to guard.
    if (!isCode(error, 'ENOENT')) throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
