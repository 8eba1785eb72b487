import { existsSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, which Linux has here. */
const memory = '/dev/shm'
/** A run of all tests writes some hundreds of megabytes; containers often have no more than 64 here. */
const roomBytesMin = 3 * 1024 ** 3
/** What is written there is taken from the memory that two engines and a browser need too. */
const memoryBytesMin = 8 * 1024 ** 3

/**
 * Where the files of a run are. The product waits for the disk before it acknowledges anything, thousands of
 * times in a run; in memory, if there is enough, these waits take no time, and nothing is left of them either
 * way.
 */
export function placeForFiles(): string {
  const hasRoom = existsSync(memory) && roomBytes(memory) >= roomBytesMin
  return hasRoom && process.availableMemory() >= memoryBytesMin ? memory : tmpdir()
}

function roomBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** What runs that were killed have left: on a disk it would only be untidy, in memory it would be missed. */
export function removeLeftovers(place: string, start: string): void {
  for (const name of readdirSync(place).filter((each) => each.startsWith(start))) {
    const owner = join(place, name, 'owner')
    if (existsSync(owner) && !isRunning(Number(readFileSync(owner, 'utf8')))) {
      rmSync(join(place, name), { recursive: true, force: true })
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's may not be asked, and is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
