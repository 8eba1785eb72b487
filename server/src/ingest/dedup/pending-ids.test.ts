import { expect, test } from 'vitest'
import { readPending } from './pending-ids.ts'

async function* none(): AsyncGenerator<string> {}

test('more sessions may wait than a call takes arguments', async () => {
  const count = 150_000
  async function* unloaded(): AsyncGenerator<string> {
    for (let nth = 0; nth < count; nth += 1) {
      yield JSON.stringify({ site_id: 's', person_id: `p${nth}`, session_id: `${nth}`, ts: 1_000 + nth })
    }
  }
  const { sessions } = await readPending({ unloaded }, none())
  expect(sessions).toHaveLength(count)
})
