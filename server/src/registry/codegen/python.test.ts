import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractSets } from './testing/contract-sets.ts'
import { removeFolder, run, writeSets, writeText } from './testing/generated-files.ts'
import { noMypy, noPython } from './testing/python-tools.ts'

let folder: string

beforeAll(async () => {
  folder = await writeSets('python')
  // Every set's package has the same name, so each lies in a package of its own.
  for (const set of Object.keys(contractSets)) await writeText(join(folder, set, '__init__.py'), '')
})
afterAll(() => removeFolder(folder))

const step = `step="address", accepted=True, delivery={"method": "express"}`

const rightUses = [
  `total: int = e.purchase(sender, amount=12.5, currency="EUR")`,
  `e.purchase(sender, amount=1, currency="EUR", items=[{"sku": "a", "qty": 1}], extra_properties={"gift": [1, None]})`,
  `e.purchase(sender, amount=1, currency="EUR", items=({"sku": "a"},), coupon=None)`,
  `e.search(sender, query="shoes", filters={"size": [41, 42], "sale": True})`,
  `e.checkout_step_completed(sender, ${step}, gift_wrap=True, attempt=2, share=0.5, grid=[[1], [2, 3.5]])`,
  `e.checkout_step_completed(sender, step="none", accepted=True, delivery={"method": "standard", "slots": [{"day": "2026-01-31", "parts": ["morning"]}]})`,
  `e.old_checkout(sender)`,
  `e.class_(sender, from_="here", self="there")`,
  `part: e.CheckoutStepCompletedDelivery = {"method": "express"}`,
]

/** Misuse → the kind of error mypy must find in it. */
const misuses: readonly (readonly [string, string])[] = [
  [`e.purchase(sender, amount=1)`, 'call-arg'],
  [`e.purchase(sender, amount="1", currency="EUR")`, 'arg-type'],
  [`e.purchase(sender, amount=1, currency=None)`, 'arg-type'],
  [`e.purchase(sender, 1, "EUR")`, 'misc, call-arg'],
  [`e.purchase(sender, amount=1, currency="EUR", coupon=5)`, 'arg-type'],
  [`e.purchase(sender, amount=1, currency="EUR", gift=True)`, 'call-arg'],
  [`e.purchase(sender, amount=1, currency="EUR", items=[{"sku": 1}])`, 'typeddict-item'],
  [`e.purchase(sender, amount=1, currency="EUR", items={"sku": "a"})`, 'arg-type'],
  [`e.purchase(sender, amount=1, currency="EUR", extra_properties={"gift": object()})`, 'dict-item'],
  [
    `e.checkout_step_completed(sender, step="adress", accepted=True, delivery={"method": "express"})`,
    'arg-type',
  ],
  [
    `e.checkout_step_completed(sender, step="address", accepted=False, delivery={"method": "express"})`,
    'arg-type',
  ],
  [`e.checkout_step_completed(sender, ${step}, attempt=4)`, 'arg-type'],
  [`e.checkout_step_completed(sender, step="address", accepted=True, delivery={})`, 'typeddict-item'],
  [
    `e.checkout_step_completed(sender, step="address", accepted=True, delivery={"method": "fast"})`,
    'typeddict-item',
  ],
  [`e.checkout_step_completed(sender, ${step}, stepp=1)`, 'call-arg'],
  [`e.old_checkout(sender, step=1)`, 'call-arg'],
  [`e.checkout_finished(sender)`, 'attr-defined'],
  [`words: str = e.old_checkout(sender)`, 'assignment'],
  [`e.old_checkout("nobody")`, 'arg-type'],
]

function usage(lines: readonly string[]): string {
  return [
    'from .assay_events import TrackedEvent',
    'from . import assay_events as e',
    '',
    'class Counter:',
    '    def send(self, event: TrackedEvent, /) -> int:',
    '        return len(event["event"])',
    '',
    'sender = Counter()',
    ...lines,
    '',
  ].join('\n')
}

test('the Python of every set passes mypy --strict, right uses pass and every misuse is found', async () => {
  const found = misuses.map(([misuse, code]) => `${misuse}  # type: ignore[${code}]`)
  await writeText(join(folder, 'golden/right_uses.py'), usage(rightUses))
  await writeText(join(folder, 'golden/misuses.py'), usage(found))
  const args = [
    '--strict',
    '--no-error-summary',
    '--cache-dir',
    join(folder, '.cache'),
    ...Object.keys(contractSets),
  ]
  const { exitCode, output } = await run('mypy', args, folder, noMypy)
  expect(output).toBe('')
  expect(exitCode).toBe(0)
})

test('the Python of every set compiles to bytes and can be imported with warnings as errors', async () => {
  const imports = Object.keys(contractSets).map((set) => `import ${set}.assay_events`)
  const program = `import compileall, sys\n${imports.join('\n')}\nsys.exit(not compileall.compile_dir(".", quiet=1))`
  const { exitCode, output } = await run('python3', ['-W', 'error', '-c', program], folder, noPython)
  expect(output).toBe('')
  expect(exitCode).toBe(0)
})

test('a call sends what was given and leaves out what was not; a deprecated event warns', async () => {
  const program = `
import json, warnings
from golden.assay_events import TrackedEvent, checkout_step_completed, class_, old_checkout, purchase

class Recorder:
    def send(self, event: TrackedEvent, /) -> TrackedEvent:
        return event

to = Recorder()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    sent = [
        purchase(to, amount=2, currency="EUR", extra_properties={"amount": 9, "gift": True}),
        checkout_step_completed(to, ${step}, gift_wrap=False, class_=""),
        class_(to, from_="here", self="there"),
        old_checkout(to),
    ]
print(json.dumps([sent, [str(warning.message) for warning in caught]]))
`
  const { output } = await run('python3', ['-c', program], folder, noPython)
  const [sent, warned] = JSON.parse(output)
  expect(sent).toEqual([
    { event: '$purchase', properties: { amount: 2, currency: 'EUR', gift: true }, contract_version: '1-0-0' },
    {
      event: 'checkout_step_completed',
      properties: {
        step: 'address',
        accepted: true,
        delivery: { method: 'express' },
        'gift-wrap': false,
        class: '',
      },
      contract_version: '2-1-0',
    },
    { event: 'class', properties: { from: 'here', self: 'there' }, contract_version: '1-0-0' },
    { event: 'old_checkout', properties: {}, contract_version: '1-0-0' },
  ])
  expect(warned).toEqual(['old_checkout is deprecated. Use checkout_step_completed instead.'])
})

test('no description reaches the interpreter as code', async () => {
  const program = `
import torture.assay_events as events, ast, pathlib
tree = ast.parse(pathlib.Path(events.__file__).read_text(encoding="utf-8"))
print(sorted({type(node).__name__ for node in tree.body}))
print([type(node.value).__name__ for node in tree.body if isinstance(node, ast.Expr)])
`
  const { output } = await run('python3', ['-c', program], folder, noPython)
  expect(output.trim().split('\n')).toEqual([
    "['AnnAssign', 'Assign', 'ClassDef', 'Expr', 'FunctionDef', 'Import', 'ImportFrom']",
    "['Constant']",
  ])
})

/** Answers every request the same way and keeps what arrived. */
async function startAnswering(status: number, body: string) {
  const requests: { url: string | undefined; key: string | undefined; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    const arrived = await text(request)
    requests.push({ url: request.url, key: request.headers.authorization, body: JSON.parse(arrived) })
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() }
}

const callAndTell = `
import json, sys
from golden.assay_events import AssayClient, AssayError, purchase
client = AssayClient(sys.argv[1] + "/", "sk_live_x", timeout_seconds=20).person(user_id="u_1")
try:
    print(json.dumps(purchase(client, amount=2, currency="EUR")))
except AssayError as error:
    print(json.dumps([str(error), error.status, error.retryable]))
`

test('a refusal becomes an error that carries the problem and says whether to try again', async () => {
  const cases = [
    [
      422,
      '{"title": "Contract violation", "detail": "amount is missing"}',
      ['amount is missing', 422, false],
    ],
    [429, '{"title": "Rate limited"}', ['Rate limited', 429, true]],
    [503, 'not JSON', ['HTTP Error 503: Service Unavailable', 503, true]],
  ] as const
  for (const [status, body, told] of cases) {
    const server = await startAnswering(status, body)
    const { output } = await run('python3', ['-c', callAndTell, server.url], folder, noPython)
    server.close()
    expect(JSON.parse(output)).toEqual(told)
    expect(server.requests).toMatchObject([
      { url: '/v1/track', key: 'Bearer sk_live_x', body: { user_id: 'u_1' } },
    ])
  }
})

test('a server that is not there becomes an error that may be tried again', async () => {
  const server = await startAnswering(200, '{}')
  await server.close()
  const { output } = await run('python3', ['-c', callAndTell, server.url], folder, noPython)
  expect(JSON.parse(output)).toEqual([expect.stringContaining('refused'), null, true])
})
