import { join } from 'node:path'
import { standardEvents } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../../testing/harness.ts'
import { removeFolder, run, writeSets } from './testing/generated-files.ts'
import { noPython } from './testing/python-tools.ts'

let world: World
let folder: string

beforeAll(async () => {
  folder = await writeSets('python', { catalog: standardEvents })
  world = await startWorld()
})
afterAll(async () => {
  await world.close()
  await removeFolder(folder)
})

const program = `
import json, sys
from assay_events import AssayClient, AssayError, login, purchase
client = AssayClient(sys.argv[1], sys.argv[2])
customer = client.person(user_id="u_1", anonymous_id="a_1")
answers = [
    purchase(customer, amount=12.5, currency="EUR", order_id="o_1", items=[{"sku": "a", "qty": 2}]),
    login(customer, method="password", two_factor=True, extra_properties={"device": "phone"}),
]
try:
    purchase(client, amount=1, currency="EUR")
except AssayError as error:
    answers.append({"status": error.status, "retryable": error.retryable, "problem": error.problem})
print(json.dumps(answers))
`

test('the generated Python sends to the running product: events are accepted, one without an identifier is refused', async () => {
  const { keys } = await world.newWorkspace()
  const args = ['-c', program, world.product.url, keys.secret]
  const { output } = await run('python3', args, join(folder, 'catalog'), noPython)
  const [bought, loggedIn, refused] = JSON.parse(output)
  expect(bought).toMatchObject({ outcome: 'accept', duplicate: false, issues: [] })
  expect(loggedIn).toMatchObject({ outcome: 'accept', duplicate: false, issues: [] })
  expect(refused).toMatchObject({
    status: 422,
    retryable: false,
    problem: { type: expect.stringMatching(/contract-violation$/) },
  })
})
