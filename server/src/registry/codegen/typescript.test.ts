import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEvents } from './golden/typescript/assay-events.ts'
import { removeFolder, run, writeSets, writeText } from './testing/generated-files.ts'

const compiler = join(import.meta.dirname, '../../../../node_modules/.bin/tsc')
/** As strict as a customer may be, and stricter than most. */
const flags = `--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noUnusedLocals
  --noUnusedParameters --noImplicitReturns --erasableSyntaxOnly --verbatimModuleSyntax --isolatedModules
  --target es2022 --module preserve --moduleResolution bundler --allowImportingTsExtensions
  --pretty false`.split(/\s+/)

const step = `step: 'address', accepted: true`
const delivery = `delivery: { method: 'express' }`

/** Calls that a customer would write, and that must compile. */
const rightUses = [
  `events.purchase({ amount: 12.5, currency: 'EUR' })`,
  `events.purchase({ amount: 1, currency: 'EUR', items: [{ sku: 'a', qty: 1, ...{ colour: 'red' } }], ...{ gift: { of: ['x', null] } } })`,
  `events.purchase({ amount: 1, currency: 'EUR', items: readonlyItems })`,
  `events.search({ query: 'shoes', filters: { size: [41, 42], sale: true } })`,
  `events.checkoutStepCompleted({ ${step}, ${delivery} })`,
  `events.checkoutStepCompleted({ ${step}, ${delivery}, 'gift-wrap': true, attempt: 2, share: 0.5, grid: [[1], [2, 3]] })`,
  `events.checkoutStepCompleted({ ${step}, delivery: { method: 'standard', slots: [{ day: '2026-01-31', parts: ['morning'] }] } })`,
  `events.oldCheckout()`,
  `events.class({ from: 'here' })`,
  `const sum: number = events.purchase({ amount: 1, currency: 'EUR' })`,
  `const known: Events['$purchase'] = { amount: 1, currency: 'EUR' }`,
  `const delivered: CheckoutStepCompletedDelivery = { method: 'express' }`,
]

/** Calls that must not compile. Each stands for a mistake that would otherwise be found in production. */
const misuses: Readonly<Record<string, string>> = {
  'a required property is missing': `events.purchase({ amount: 1 })`,
  'a required property is undefined': `events.purchase({ amount: 1, currency: undefined })`,
  'a required property is null': `events.purchase({ amount: 1, currency: null })`,
  'an optional property is set to undefined': `events.purchase({ amount: 1, currency: 'EUR', coupon: undefined })`,
  'a number is sent as text': `events.purchase({ amount: '1', currency: 'EUR' })`,
  'an optional property of an open event has the wrong type': `events.purchase({ amount: 1, currency: 'EUR', coupon: 5 })`,
  'an additional property is no JSON': `events.purchase({ amount: 1, currency: 'EUR', gift: () => 1 })`,
  'an optional property of an open event is misspelt': `events.purchase({ amount: 1, currency: 'EUR', cupon: 'SPRING' })`,
  'a member of an open record is misspelt': `events.purchase({ amount: 1, currency: 'EUR', items: [{ skuu: 'a' }] })`,
  'an element of a list has the wrong type': `events.purchase({ amount: 1, currency: 'EUR', items: [{ sku: 1 }] })`,
  'a list is sent as one element': `events.purchase({ amount: 1, currency: 'EUR', items: { sku: 'a' } })`,
  'an event that has required properties is sent without': `events.purchase()`,
  'a value is not among the choices': `events.checkoutStepCompleted({ step: 'adress', accepted: true, ${delivery} })`,
  'a text is not known to be among the choices': `events.checkoutStepCompleted({ step: anyText, accepted: true, ${delivery} })`,
  'a number is not among the choices': `events.checkoutStepCompleted({ ${step}, ${delivery}, attempt: 4 })`,
  'a truth value is not the allowed one': `events.checkoutStepCompleted({ step: 'address', accepted: false, ${delivery} })`,
  'a nested required property is missing': `events.checkoutStepCompleted({ ${step}, delivery: {} })`,
  'a nested value is not among the choices': `events.checkoutStepCompleted({ ${step}, delivery: { method: 'fast' } })`,
  'a value three levels down is not among the choices': `events.checkoutStepCompleted({ ${step}, delivery: { method: 'express', slots: [{ day: 'x', parts: ['noon'] }] } })`,
  'a closed event has a property too many': `events.checkoutStepCompleted({ ${step}, ${delivery}, stepp: 1 })`,
  'a closed record has a member too many': `events.checkoutStepCompleted({ ${step}, delivery: { method: 'express', speed: 1 } })`,
  'a quoted name has the wrong type': `events.checkoutStepCompleted({ ${step}, ${delivery}, 'gift-wrap': 'yes' })`,
  'a list of lists is sent as a list': `events.checkoutStepCompleted({ ${step}, ${delivery}, grid: [1] })`,
  'an event without properties is given one': `events.oldCheckout({ step: 1 })`,
  'an event is not in the registry': `events.checkoutFinished({})`,
  'an event that takes one argument gets two': `events.oldCheckout({}, 1)`,
  'the result is taken for something else': `const text: string = events.oldCheckout()`,
  'the map of events is asked for an unknown one': `type Unknown = Events['$purchse']`,
  'a hand-made event carries another version': `const sent: TrackedEvent = { event: 'class', properties: { from: 'x' }, contract_version: '9-9-9' }`,
  'a hand-made event carries the properties of another': `const sent: TrackedEvent = { event: 'class', properties: { note: 'x' }, contract_version: '1-0-0' }`,
}

let folder: string

beforeAll(async () => {
  folder = await writeSets('typescript')
})
afterAll(() => removeFolder(folder))

function usage(lines: readonly string[]): string {
  return [
    `import { createEvents, type CheckoutStepCompletedDelivery, type Events, type TrackedEvent } from './assay-events.ts'`,
    `export type { CheckoutStepCompletedDelivery, Events, TrackedEvent }`,
    `export const events = createEvents((event) => event.event.length)`,
    `export const anyText: string = 'address'`,
    `export const readonlyItems = [{ sku: 'a' }] as const`,
    ...lines,
    '',
  ].join('\n')
}

/** Exported, so that nothing but the use itself is an error: an unused name would be one too. */
function exported(use: string, index: number): string {
  return /^(const|type) /.test(use) ? `export ${use.replace(/^(\w+) (\w+)/, `$1 $2${index}`)}` : use
}

test('the TypeScript of every set compiles strictly, right uses compile and every misuse is refused', async () => {
  const refused = Object.values(misuses).flatMap((misuse, index) => [
    '// @ts-expect-error',
    exported(misuse, index),
  ])
  await writeText(join(folder, 'golden/right-uses.ts'), usage(rightUses.map(exported)))
  await writeText(join(folder, 'golden/misuses.ts'), usage(refused))
  await writeText(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ include: ['*/*.ts'], compilerOptions: { types: [] } }),
  )
  const { exitCode, output } = await run(
    compiler,
    ['-p', 'tsconfig.json', ...flags],
    folder,
    'run npm ci first',
  )
  expect(output).toBe('')
  expect(exitCode).toBe(0)
})

test('the generated functions send name, properties and version, and answer what the transport answers', () => {
  const events = createEvents((event) => ({ sent: event }))
  expect(events.purchase({ amount: 1, currency: 'EUR' })).toEqual({
    sent: { event: '$purchase', properties: { amount: 1, currency: 'EUR' }, contract_version: '1-0-0' },
  })
  expect(events.oldCheckout()).toEqual({
    sent: { event: 'old_checkout', properties: {}, contract_version: '1-0-0' },
  })
})

test('no name, however odd, changes what the generated object inherits', async () => {
  const module: { createEvents: (send: (event: unknown) => unknown) => object; contractVersions: object } =
    await import(pathToFileURL(join(folder, 'torture/assay-events.ts')).href)
  const events = module.createEvents((event) => event)
  expect(Object.getPrototypeOf(events)).toBe(Object.prototype)
  expect(Object.getPrototypeOf(module.contractVersions)).toBe(Object.prototype)
  expect(await events).toBe(events)
})
