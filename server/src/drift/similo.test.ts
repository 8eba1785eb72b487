import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ElementFacts, rankCandidates, similarity } from './similo.ts'

const reference = join(import.meta.dirname, '../../../../shared/data/drift/similo_half.json')

type Raw = Readonly<Record<string, string>>
type App = { targets: { old: Raw; new_xpath: string }[]; candidates: Raw[] }

function factsOf(raw: Raw): ElementFacts {
  const sides = ['above', 'below', 'left', 'right'].map((side) => raw[`neighbor_text_${side}`] ?? '')
  const numbers = Object.fromEntries(
    ['x', 'y', 'width', 'height'].flatMap((name) =>
      raw[name] === undefined ? [] : [[name, Number(raw[name])]],
    ),
  )
  return {
    tag: raw.tag ?? '',
    name: raw.name ?? '',
    id: raw.id ?? '',
    visibleText: raw.visible_text ?? '',
    neighborText: raw.neighbor_text ?? sides.filter((text) => text !== '0').join(' '),
    className: raw.class ?? '',
    href: raw.href ?? '',
    alt: raw.alt ?? '',
    xpath: raw.xpath ?? '',
    idXpath: raw.idxpath ?? '',
    isButton: raw.is_button ?? '',
    ...numbers,
  }
}

describe('an element that was changed', () => {
  test('is found again in at least 89 of 100 pages that were rebuilt', () => {
    if (!existsSync(reference)) {
      console.info('The pages of the Similo study are not at ../shared/data/drift, so they are not compared.')
      return
    }
    const { apps }: { apps: Record<string, App> } = JSON.parse(readFileSync(reference, 'utf8'))
    let found = 0
    let all = 0
    for (const { targets, candidates } of Object.values(apps)) {
      const known = candidates.map((raw) => ({ raw, facts: factsOf(raw) }))
      for (const { old, new_xpath } of targets) {
        all++
        const [best] = rankCandidates(factsOf(old), known, ({ facts }) => facts)
        if (best?.candidate.raw.xpath === new_xpath) found++
      }
    }
    expect(found / all).toBeGreaterThanOrEqual(0.89)
  }, 120_000)

  test('is as like itself as can be, and nothing is liker', () => {
    const text = fc.string({ maxLength: 12 })
    const facts: fc.Arbitrary<ElementFacts> = fc.record({
      tag: fc.constantFrom('a', 'button', ''),
      name: text,
      id: text,
      visibleText: text,
      neighborText: text,
      className: text,
      href: text,
      x: fc.integer({ min: 0, max: 500 }),
      y: fc.integer({ min: 0, max: 500 }),
      width: fc.nat(300),
      height: fc.nat(80),
    })
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        expect(similarity(one, one)).toBeCloseTo(1, 9)
        expect(similarity(one, other)).toBeLessThanOrEqual(1 + 1e-9)
        expect(similarity(one, other)).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 200 },
    )
  })
})
