import { readFileSync } from 'node:fs'

/** A killed run cannot clean up, and nothing else would ever end a process that it shares among its workers. */
export function endWithOwner(directory: string, clean: () => void = () => {}): void {
  const owner = Number(readFileSync(`${directory}/../owner`, 'utf8'))
  const isRunning = () => {
    try {
      return process.kill(owner, 0)
    } catch {
      return false
    }
  }
  setInterval(() => {
    if (isRunning()) return
    clean()
    process.exit(1)
  }, 1_000).unref()
}
