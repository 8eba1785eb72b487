import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { requireFreeSpace, reservedBytes } from './free-space.ts'

test('what would leave less than the reserve is refused with how much has to be free', async () => {
  const { bavail, bsize } = await statfs(tmpdir())
  const [freeBytes, marginBytes] = [bavail * bsize, 256 * 1024 ** 2]
  // Others write to the disk meanwhile.
  const fits = freeBytes - reservedBytes - marginBytes
  await requireFreeSpace(tmpdir(), fits)
  await expect(requireFreeSpace(tmpdir(), fits + 2 * marginBytes)).rejects.toMatchObject({
    slug: 'unavailable',
    message: expect.stringContaining(' GB have to be free'),
  })
})
