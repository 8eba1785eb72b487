/** Before each test file: what it writes lies where all files of this run do, and goes with them. */
import { mkdirSync } from 'node:fs'
import { inject } from 'vitest'

const directory = `${inject('storesDirectory')}/files`
// Others may pass: Postgres runs as a user of its own.
mkdirSync(directory, { recursive: true, mode: 0o711 })
process.env.TMPDIR = directory
