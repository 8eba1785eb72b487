import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openShell, type Shell } from '../testing/shell.ts'
import { appendPiece, partFile, requireManifest } from './files.ts'
import { pathWithin } from './safe-path.ts'

let place: string
let shell: Shell
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'assay-archive-'))
  shell = openShell()
})
afterEach(() => {
  shell.remove()
  rmSync(place, { recursive: true, force: true })
})

const sha256 = 'a'.repeat(64)
const part = { name: 'sites', rows: 1, bytes: 10, sha256 }

describe('a server or an archive does not say where files are written', () => {
  test('by the name of a part', () => {
    for (const name of ['../sites', '/etc/passwd', 'a/b', '', 'Sites', 'x'.repeat(65), 'a\0b']) {
      expect(() => requireManifest({ parts: [{ ...part, name }] }), name).toThrow('not written by an Assay')
      if (name !== 'Sites' && name !== 'a/b' && name.length < 65) {
        expect(() => partFile(place, name), name).toThrow('not a safe file name')
      }
    }
    expect(requireManifest({ parts: [part] })).toMatchObject({ parts: [part] })
  })

  test('by sizes that no server has, or by more parts than there are tables', () => {
    for (const bytes of [-1, 1.5, 1e300, '10', null]) {
      expect(() => requireManifest({ parts: [{ ...part, bytes }] })).toThrow('not written by an Assay')
    }
    expect(() => requireManifest({ parts: Array.from({ length: 500 }, () => part) })).toThrow(
      'not written by',
    )
    for (const value of [null, 7, {}, { parts: {} }, { parts: [null] }]) {
      expect(() => requireManifest(value)).toThrow('not written by an Assay')
    }
  })

  test('by the path of generated code', () => {
    expect(pathWithin(place, 'assay/events.ts')).toBe(join(place, 'assay/events.ts'))
    for (const path of ['../x.ts', 'a/../../x.ts', '/tmp/x.ts', 'a//b', '.bashrc', 'a/.git/hooks', 'a\\b']) {
      expect(() => pathWithin(place, path), path).toThrow('not a safe file name')
    }
  })

  test('by a link in the place of a part', () => {
    const secret = join(place, 'secret')
    writeFileSync(secret, 'theirs')
    const path = partFile(place, 'sites')
    symlinkSync(secret, path)
    expect(() => appendPiece(path, 'ours\n')).toThrow('not a plain file')
  })
})

/** As `assay backup` leaves it. */
function backup(): string {
  const source = join(place, 'backup')
  mkdirSync(join(source, 'log'), { recursive: true })
  mkdirSync(join(source, 'events/store'), { recursive: true })
  writeFileSync(join(source, 'log/1.ndjson'), '{}\n')
  chmodSync(join(source, 'log/1.ndjson'), 0o644)
  writeFileSync(join(source, 'events/store/data'), 'rows')
  symlinkSync('../store', join(source, 'events/store/inner'))
  const taken = { taken_at: '2026-03-01T00:00:00.000Z', files: 2, bytes: 7 }
  writeFileSync(join(source, 'backup.json'), JSON.stringify(taken))
  return source
}

async function restore(source: string) {
  const target = join(place, 'restored')
  const said = await shell.assay(['restore', source, '--data-dir', target])
  return { said, target }
}

describe('a backup is looked at before it is restored', () => {
  test('and what is restored belongs to its owner alone', async () => {
    const { said, target } = await restore(backup())
    expect(said).toMatchObject({ exitCode: 0, err: '' })
    expect(statSync(join(target, 'log/1.ndjson')).mode & 0o777).toBe(0o600)
    expect(statSync(join(target, 'log')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(target, 'events/store/inner'))).toEqual(['data', 'inner'])
  })

  const flaws: [string, (source: string) => void, string][] = [
    [
      'a link that leads out',
      (source) => symlinkSync('/etc', join(source, 'log/out')),
      'leads out of the backup',
    ],
    [
      'a link up and away',
      (source) => symlinkSync('../../../../etc/passwd', join(source, 'events/store/up')),
      'leads out of the backup',
    ],
    [
      'a name that no backup has',
      (source) => writeFileSync(join(source, 'crontab'), ''),
      'not part of a backup',
    ],
    ['less than was written', (source) => writeFileSync(join(source, 'log/1.ndjson'), ''), 'were written'],
    [
      'a manifest that is none',
      (source) => writeFileSync(join(source, 'backup.json'), '[1'),
      'not the description',
    ],
    [
      'a manifest of nonsense',
      (source) => writeFileSync(join(source, 'backup.json'), '{"files":-1}'),
      'not the description',
    ],
  ]
  test.each(flaws)('and with %s nothing is restored', async (_, harm, words) => {
    const source = backup()
    harm(source)
    const { said, target } = await restore(source)
    expect(said).toMatchObject({ exitCode: 1, err: expect.stringContaining(words) })
    expect(existsSync(target)).toBe(false)
  })
})
