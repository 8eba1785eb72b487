import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  removeFolder,
  run,
  writeSets,
  writeText,
} from '../../../server/src/registry/codegen/testing/generated-files.ts'
import { goldenContracts } from '../../../server/src/registry/codegen/testing/golden-contracts.ts'

const client = join(import.meta.dirname, '..', 'src', 'client.ts')
let folder = ''
beforeAll(async () => {
  folder = await writeSets('typescript', { golden: goldenContracts })
})
afterAll(() => removeFolder(folder))

const flags =
  '--noEmit --strict --exactOptionalPropertyTypes --target es2022 --lib es2022,dom,dom.iterable --module esnext --moduleResolution bundler --allowImportingTsExtensions --skipLibCheck --types'

/** Type-checks a page's program against the SDK and generated types, as a customer's editor does. */
async function check(name: string, program: string): Promise<string> {
  const file = join(folder, `${name}.ts`)
  const imports = `import { init } from '${client}'
import { createEvents, type Events } from './golden/assay-events.ts'
export const assay = init<Events>('pk_live_1')
export const untyped = init('pk_live_1')
export const events = createEvents(assay.send)
`
  await writeText(file, imports + program)
  const { output } = await run('tsc', [...flags.split(' '), '', file], folder, 'npm ci brings the compiler')
  return output
}

test('events of the registry compile, in each of the three ways to send them', async () => {
  const program = `
assay.track('$purchase', { amount: 12.5, currency: 'EUR', coupon: 'SPRING' })
assay.track('old_checkout')
events.purchase({ amount: 12.5, currency: 'EUR' })
untyped.track('anything', { at: 'all' })
untyped.track('anything')
void assay.flush().then(({ sent, dropped }) => sent + dropped)`
  expect(await check('right', program)).toBe('')
})

test('a wrong name, a missing property and a wrong type do not compile', async () => {
  const program = `
assay.track('$purchse', { amount: 12.5, currency: 'EUR' })
assay.track('$purchase', { currency: 'EUR' })
assay.track('$purchase')
assay.track('class', { from: 7 })
events.purchase({ amount: '12.50', currency: 'EUR' })`
  const output = await check('wrong', program)
  const lines = [...output.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line))
  // The program begins below its five lines of imports and one empty line.
  expect(lines).toEqual([7, 8, 9, 10, 11])
})
