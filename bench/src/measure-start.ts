import { residentMegabytes } from './process.ts'
import { type ProductOptions, startProduct, stopProduct } from './product.ts'
import type { Figure } from './report.ts'
import { median } from './statistics.ts'

/** After this time an idle product has finished its work after a start. */
const settleMs = 3_000
const laterStarts = 3

/** First and later starts, and the memory of an idle product. */
export async function measureStart(options: ProductOptions): Promise<readonly Figure[]> {
  const firstMs = await startOnce(options)
  const later: { readyAfterMs: number; megabytes: number }[] = []
  for (let count = 0; count < laterStarts; count += 1) later.push(await startOnce(options))
  return [
    { work: 'start-up, first time', value: firstMs.readyAfterMs / 1000, unit: 's' },
    {
      work: 'start-up, second time',
      value: median(later.map(({ readyAfterMs }) => readyAfterMs)) / 1000,
      unit: 's',
      target: { of: 'value', most: 4 },
    },
    {
      work: 'memory, idle',
      value: median(later.map(({ megabytes }) => megabytes)),
      unit: 'MB',
      target: { of: 'value', most: 700 },
    },
  ]
}

async function startOnce(options: ProductOptions): Promise<{ readyAfterMs: number; megabytes: number }> {
  const product = await startProduct(options)
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const megabytes = residentMegabytes(product.processId)
  await stopProduct(product)
  return { readyAfterMs: product.readyAfterMs, megabytes }
}
