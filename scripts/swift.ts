/** `npm run swift`: builds and tests the Swift package where there is a Swift compiler, or says that there is none. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'sdk', 'swift')

/** The first line of `swift --version`; null where there is none. */
export function swiftVersion(): string | null {
  const { status, stdout } = spawnSync('swift', ['--version'], { encoding: 'utf8' })
  // The system of object storage has a program of the same name.
  const line = status === 0 ? /.*Swift version.*/.exec(stdout)?.[0] : undefined
  return line ?? null
}

/** With the address and the key of a product its tests also send events there. */
export function testSwift(product: { url: string; key: string } | null, buildFolder?: string): void {
  const env =
    product === null ? process.env : { ...process.env, ASSAY_URL: product.url, ASSAY_KEY: product.key }
  const path = buildFolder === undefined ? [] : ['--scratch-path', buildFolder]
  execFileSync('swift', ['build', ...path], { cwd: folder, env, stdio: 'inherit' })
  execFileSync('swift', ['test', ...path], { cwd: folder, env, stdio: 'inherit' })
}

if (import.meta.main) {
  const version = swiftVersion()
  if (version === null) {
    console.error('There is no Swift compiler here, so the Swift package was neither compiled nor tested.')
    process.exitCode = 1
  } else {
    console.log(version)
    testSwift(null)
  }
}
