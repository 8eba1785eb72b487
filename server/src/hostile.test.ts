import { routes } from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { createCampaign } from './testing/hostile/campaign.ts'
import { connect } from './testing/hostile/connection.ts'
import { hostileKeys, largeValues, smallValues } from './testing/hostile/corpus.ts'
import { credentialNames } from './testing/hostile/example.ts'
import { examplesOf } from './testing/hostile/example-table.ts'
import { bodyCases, fieldCases } from './testing/hostile/field-cases.ts'
import { placesOf } from './testing/hostile/request.ts'
import type { Target } from './testing/hostile/target.ts'
import { namelessThings } from './testing/hostile/things.ts'

const examples = examplesOf(namelessThings())

describe('the hostile corpus', () => {
  test('has a valid request of every route to start from', () => {
    expect(Object.keys(examples).toSorted()).toEqual(routes.map(({ id }) => id).toSorted())
  })

  test('goes into every field of every route, and all of it is used', () => {
    const each = [...fieldCases(examples)].flatMap((request) => request.apart?.requests ?? [request])
    const labels = [...new Set(each.map(({ route, label }) => `${route.id} ${label}`))]
    for (const route of routes) {
      for (const place of (examples[route.id] ?? []).flatMap((example) => placesOf(route, example))) {
        const start = `${route.id} ${place.label} = `
        expect(
          labels.some((label) => label.startsWith(start)),
          start,
        ).toBe(true)
      }
    }
    for (const { name } of [...smallValues, ...hostileKeys, ...largeValues]) {
      expect(
        labels.some((label) => label.endsWith(` = ${name}`)),
        name,
      ).toBe(true)
    }
  })

  test('has a broken body for every route that takes one', () => {
    const attacked = new Set([...bodyCases(examples)].map(({ route }) => route.id))
    const withBody = routes.filter(({ id }) => examples[id]?.some(({ body }) => body !== undefined))
    expect([...attacked].toSorted()).toEqual(withBody.map(({ id }) => id).toSorted())
  })
})

test('a campaign draws the same request again for the same seed and number', () => {
  const target: Target = {
    things: namelessThings(),
    examples,
    // boundary: a campaign draws names of credentials, and none of their values.
    credentials: Object.fromEntries(credentialNames.map((name) => [name, ''])) as Target['credentials'],
    connection: connect('http://127.0.0.1:9', 1),
  }
  const [first, second, other] = [
    createCampaign(target, 7),
    createCampaign(target, 7),
    createCampaign(target, 8),
  ]
  const shown = (caseOf: typeof first) =>
    Array.from({ length: 500 }, (_, number) => {
      const { request, method, credential } = caseOf(number)
      return `${request.route.id} ${request.label} ${method} ${credential}`
    })
  expect(shown(first)).toEqual(shown(second))
  expect(shown(first)).not.toEqual(shown(other))
})
