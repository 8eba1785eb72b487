import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
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
  /** Of the process, in ticks since boot: a recycled process id has another one. Null where there is no /proc. */
  startTicks: string | null
  /** Of the machine's boot, and of the space in which the process id has a meaning (containers have their own). */
  world: string | null
}

export interface LockTimes {
  /** How often the holder touches its lock. */
  beatMs: number
  /** A lock untouched for this long, whose holder cannot be looked up, belongs to nobody. */
  staleMs: number
}

// Three missed beats. Only a container that restarts at once on a killed one's directory ever waits for it.
const usualTimes: LockTimes = { beatMs: 5_000, staleMs: 15_000 }

/** Takes the directory for this process, or throws `DirectoryLocked`. The result gives it back. */
export async function lockDirectory(directory: string, times = usualTimes): Promise<() => void> {
  fs.mkdirSync(directory, { recursive: true })
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

interface HeldLock {
  text: string
  touchedMs: number
  owner: Owner | null
}

function readLock(file: string): HeldLock | null {
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
    // Not ours, or cut short by a full disk. Its beat then tells whether anyone holds it.
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

async function isAlive(file: string, { owner, touchedMs }: HeldLock, times: LockTimes): Promise<boolean> {
  const here = processIdentity(process.pid)
  if (owner && here.world !== null && owner.world === here.world) {
    return processIdentity(owner.processId).startTicks === owner.startTicks
  }
  // From before a reboot, from another container or machine, or on a system without /proc: does it still beat?
  for (let waitedMs = 0; Date.now() - touchedMs < times.staleMs; waitedMs += times.beatMs) {
    if (waitedMs > times.staleMs) break
    await new Promise((resolve) => setTimeout(resolve, times.beatMs))
    const later = readLock(file)
    if (later === null) return false
    if (later.touchedMs !== touchedMs) return true
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
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const world = `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`
    return { processId, startTicks: startTicks(processId), world }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return { processId, startTicks: null, world: null }
    throw error
  }
}

function startTicks(processId: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${processId}/stat`, 'utf8')
    // The name, second in the line, is in brackets and may hold anything; the start is the 22nd (proc(5)).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[22 - 3] ?? null
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ESRCH')) return null
    throw error
  }
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
