import type { Overview, Site } from '@assay/contract'
import { createSite, getLive, getOverview, getSite, updateSite } from '@assay/contract'
import type { Product } from './product.ts'

export type Address = Pick<Product, 'url' | 'keys'>

type Asked = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/**
 * Computed for this question, never a cached answer. Most reads take the first for it, discovered funnels the second:
 * nothing is pending, so there is nothing to wait for.
 */
const anew = { 'cache-control': 'no-cache', prefer: 'wait=1' }

async function call<Answer>(product: Address, path: string, init: Asked = {}): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${product.keys.liveKey}`,
    'content-type': 'application/json',
    ...init.headers,
  }
  const answer = await fetch(`${product.url}${path}`, { ...init, headers })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  // boundary: the product promises this shape, and its own tests hold it to that.
  return (await answer.json()) as Answer
}

export function readOverview(product: Address, query: Readonly<Record<string, string>>): Promise<Overview> {
  return call(product, `${getOverview.path}?${new URLSearchParams(query)}`, { headers: anew })
}

/** Has everything loaded that was acknowledged before, instead of waiting for enough to be worth a load. */
export async function flush(product: Address): Promise<void> {
  const query = new URLSearchParams({ siteId: product.keys.siteId })
  await call(product, `${getLive.path}?${query}`, { headers: { prefer: 'wait=30' } })
}

/** Any read by its path, for what it costs to make. */
export function ask<Answer>(product: Address, path: string, body?: object): Promise<Answer> {
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return call(product, path, { ...posted, headers: anew })
}

/** The same as a normal caller: a cached answer will do. */
export function askAgain(product: Address, path: string): Promise<unknown> {
  return call(product, path)
}

type NewSite = Pick<Site, 'name' | 'domain' | 'timezone' | 'currency'>

/** The domain of the site that a first start makes. */
const firstDomain = 'localhost'

/** A site of the demo. The one that the first start made becomes the first of them: the dashboard opens there. */
export async function makeDemoSite(product: Address, wanted: NewSite): Promise<Site> {
  const path = getSite.path.replace(':id', product.keys.siteId)
  const first = await call<Site>(product, path)
  if (first.domain !== firstDomain) return makeSite(product, wanted)
  return call(product, path, { method: updateSite.method, body: JSON.stringify(wanted) })
}

function makeSite(product: Address, site: NewSite): Promise<Site> {
  return call(product, createSite.path, { method: createSite.method, body: JSON.stringify(site) })
}

/** One of the product's own gauges. */
export async function readGauge(product: Address, name: string): Promise<number> {
  const [value = Number.NaN] = await readGauges(product, [name])
  return value
}

/** Several of them at one moment. */
export async function readGauges(product: Address, names: readonly string[]): Promise<readonly number[]> {
  const text = await fetch(`${product.url}/metrics`).then((answer) => answer.text())
  return names.map((name) => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`the product has no gauge ${name}`)
    return Number(value)
  })
}
