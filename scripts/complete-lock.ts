/** After a change of dependencies: adds to the lock the packages of other platforms that npm left out. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeLock, type LockFile, missingPlatformPackages } from './tidy/lock-file.ts'

const file = join(import.meta.dirname, '..', 'package-lock.json')
const lock: LockFile = JSON.parse(readFileSync(file, 'utf8'))
for (const path of Object.keys(missingPlatformPackages(lock))) console.log(`adding ${path}`)
writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`)
