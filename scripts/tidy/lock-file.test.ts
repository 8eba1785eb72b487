import { expect, test } from 'vitest'
import { completeLock, missingPlatformPackages } from './lock-file.ts'

const lock = {
  name: 'assay',
  packages: {
    '': { version: '0.1.0' },
    'node_modules/a': {
      dev: true,
      optionalDependencies: {
        '@a/cli-linux-arm64-musl': '1.2.3',
        '@a/cli-win32-x64': '1.2.3',
        '@a/cli-linux-x64': '1.2.3',
      },
    },
    'node_modules/@a/cli-linux-x64': { version: '1.2.3' },
    'node_modules/b': { optionalDependencies: { 'b-linux-x64-gnu': '2.0.0' } },
    'node_modules/b/node_modules/b-linux-x64-gnu': { version: '2.0.0' },
  },
}

test('a package of another platform that npm left out is found, with its platform read from its name', () => {
  expect(missingPlatformPackages(lock)).toEqual({
    'node_modules/@a/cli-linux-arm64-musl': {
      version: '1.2.3',
      dev: true,
      optional: true,
      os: ['linux'],
      cpu: ['arm64'],
      libc: ['musl'],
    },
    'node_modules/@a/cli-win32-x64': {
      version: '1.2.3',
      dev: true,
      optional: true,
      os: ['win32'],
      cpu: ['x64'],
    },
  })
})

test('a completed lock lacks nothing, keeps the rest, and has the root first', () => {
  const completed = completeLock(lock)
  expect(missingPlatformPackages(completed)).toEqual({})
  expect(completed).toMatchObject(lock)
  expect(Object.keys(completed.packages)[0]).toBe('')
})
