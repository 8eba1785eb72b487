import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openControl } from '../../store/control.ts'
import { prepareControl } from '../../testing/harness.ts'
import { createVault, openVault } from './vault.ts'

test('what is sealed opens again, and looks different every time', () => {
  const vault = createVault('a secret')
  const sealed = vault.seal('whsec_ä', 'con_1')
  expect(vault.unseal(sealed, 'con_1')).toBe('whsec_ä')
  expect(vault.seal('whsec_ä', 'con_1')).not.toBe(sealed)
  expect(sealed).not.toContain('whsec')
})

test('it opens neither in another place, nor with another key, nor when a byte was changed', () => {
  const vault = createVault('a secret')
  const sealed = vault.seal('whsec_1', 'con_1')
  expect(vault.unseal(sealed, 'con_2')).toBeNull()
  expect(createVault('another').unseal(sealed, 'con_1')).toBeNull()
  const at = sealed.length - 5
  const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
  for (const broken of [changed, '', 'v1.', 'v1.AAAA', 'v2.x', sealed.slice(0, -8)]) {
    expect(vault.unseal(broken, 'con_1')).toBeNull()
  }
})

test('without a setting the key is in a file next to the embedded store, for its owner only, and stays the same', async () => {
  const dataDir = await prepareControl(mkdtempSync(join(tmpdir(), 'assay-vault-')))
  const control = await openControl({ dataDir })
  try {
    const options = { dataDir, encryptionKey: undefined }
    const sealed = (await openVault(control, options)).seal('whsec_1', 'con_1')
    expect((await openVault(control, options)).unseal(sealed, 'con_1')).toBe('whsec_1')
    expect(statSync(join(dataDir, 'vault.key')).mode & 0o777).toBe(0o600)
    const ofSetting = await openVault(control, { dataDir, encryptionKey: 'from the setting' })
    expect(ofSetting.unseal(sealed, 'con_1')).toBeNull()
  } finally {
    await control.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
