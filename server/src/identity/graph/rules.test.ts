import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtOn, planReversal } from '../commands/reversal-plan.ts'
import { Model } from '../testing/model.ts'
import { judgeMerge, judgeStatement } from './link-rules.ts'
import { type Link, type Node, partition } from './partition.ts'

const types: Readonly<Record<string, string>> = { u: 'user_id', e: 'email', a: 'anonymous_id' }
const typeOf = (id: string) => types[id.charAt(0)] ?? ''
const byName = (left: string, right: string) => (left < right ? -1 : 1)

/** The rules over a graph that is known whole. */
class Rules {
  readonly nodes = new Map<string, Node>()
  links: Link[] = []
  apart: [string, string][] = []
  #seq = 0

  see(id: string, time: number): void {
    if (!this.nodes.has(id)) this.nodes.set(id, { originalId: id, type: typeOf(id), firstSeenMs: time })
  }

  get people(): Map<string, string> {
    return partition({ nodes: this.nodes, links: this.links })
  }

  #around() {
    return { graph: { nodes: this.nodes, links: this.links }, apart: this.apart, unseen: new Set<string>() }
  }

  #link(a: string, b: string, isExplicit: boolean): Link {
    this.#seq += 1
    const entryId = String(this.#seq)
    const survivor = isExplicit ? a : null
    return { entryId, seq: this.#seq, a, b, entryType: 'merge', isExplicit, confidence: 'certain', survivor }
  }

  say(a: string, b: string): { verdict: string; link: Link | null } {
    const link = this.#link(a, b, false)
    const judged = judgeStatement(this.#around(), link)
    const isKept = judged.kind === 'joined' || (judged.kind === 'shared' && judged.isNew)
    if (isKept) this.links.push(link)
    const verdict =
      judged.kind === 'refused' ? judged.why : judged.kind === 'shared' ? 'shared_device' : judged.kind
    return { verdict, link: isKept ? link : null }
  }

  merge(a: string, b: string): { verdict: string; link: Link | null } {
    const link = this.#link(a, b, true)
    const judged = judgeMerge(this.#around(), link)
    if (judged.kind === 'joined') this.links.push(link)
    return { verdict: judged.kind, link: judged.kind === 'joined' ? link : null }
  }

  reverse(link: Link, isKeptApart: boolean): void {
    const { graph } = this.#around()
    const { after, reversed } = planReversal(graph, [link, ...builtOn(graph, link)])
    this.links = this.links.filter((one) => !reversed.includes(one))
    if (!isKeptApart) return
    for (const { a, b } of reversed) if (after.get(a) !== after.get(b)) this.apart.push([a, b])
  }
}

function groupsOf(people: ReadonlyMap<string, string>): string[] {
  const ids = [...people.keys()]
  return [...new Set(people.values())]
    .map((person) => `${person}: ${ids.filter((id) => people.get(id) === person).sort()}`)
    .sort()
}

function groupsOfModel(model: Model): string[] {
  return model
    .groups()
    .map((group) => `${model.nameOf(group, byName)}: ${group.toSorted()}`)
    .sort()
}

const user = fc.constantFrom('u1', 'u2', 'u3')
const device = fc.constantFrom('a1', 'a2', 'a3', 'a4')
const anybody = fc.oneof(user, device, fc.constantFrom('e1', 'e2'))
const statement = fc.oneof(fc.tuple(user, device), fc.tuple(anybody, anybody))
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('say' as const), pair: statement }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('merge' as const), pair: fc.tuple(anybody, anybody) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reverse' as const), pick: fc.nat(50), apart: fc.boolean() }),
  },
)

describe('the rules and a second implementation of them', () => {
  test('agree at every step of any history, on who is who and on every answer', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const [rules, model] = [new Rules(), new Model()]
        const kept: { link: Link; number: number }[] = []
        for (const [time, one] of operations.entries()) {
          if (one.kind === 'reverse') {
            const inForce = kept.filter(({ link }) => rules.links.includes(link))
            const entry = inForce[one.pick % Math.max(1, inForce.length)]
            if (entry === undefined) continue
            expect(
              builtOn({ nodes: rules.nodes, links: rules.links }, entry.link).map(({ seq }) => seq),
            ).toEqual(
              model
                .builtOn(entry.number)
                .map((number) => kept.find((each) => each.number === number)?.link.seq),
            )
            rules.reverse(entry.link, one.apart)
            model.reverse(entry.number, one.apart)
          } else {
            const [x, y] = one.pair
            if (x === y) continue
            for (const id of one.pair) {
              rules.see(id, time)
              model.see(id, time)
            }
            const [mine, theirs] = [rules[one.kind](x, y), model[one.kind](x, y)]
            expect(mine.verdict, `${one.kind} ${x} ${y}`).toBe(theirs.verdict)
            if (mine.link !== null && theirs.number !== null)
              kept.push({ link: mine.link, number: theirs.number })
          }
          expect(groupsOf(rules.people)).toEqual(groupsOfModel(model))
        }
      }),
      { numRuns: 400 },
    )
  })
})

describe('a link that is taken back', () => {
  const said = fc.record({
    kind: fc.constantFrom('say' as const, 'merge' as const),
    pair: fc.tuple(user, device),
  })
  const purposeful = fc.record({ kind: fc.constant('merge' as const), pair: fc.tuple(user, user) })
  const history = fc.array(fc.oneof({ weight: 4, arbitrary: said }, purposeful), {
    minLength: 1,
    maxLength: 25,
  })

  function live(
    operations: readonly { kind: 'say' | 'merge'; pair: [string, string] }[],
    without: number | null,
  ) {
    const rules = new Rules()
    const links: (Link | null)[] = []
    for (const [time, { kind, pair }] of operations.entries()) {
      for (const id of pair) rules.see(id, time)
      links.push(time === without || pair[0] === pair[1] ? null : rules[kind](...pair).link)
    }
    return { rules, links }
  }

  test('leaves everyone as if it had never been, whatever events, identifies and merges came after it', () => {
    fc.assert(
      fc.property(history, fc.nat(24), (operations, pick) => {
        const at = pick % operations.length
        const { rules, links } = live(operations, null)
        const link = links[at]
        fc.pre(link !== null && link !== undefined)
        // The same thing said twice is kept once, so the second time would be heard in a world without the first.
        const isRepeated = operations.some(
          ({ pair }, index) =>
            index > at && pair.toSorted().join() === operations[at]?.pair.toSorted().join(),
        )
        fc.pre(!isRepeated && builtOn({ nodes: rules.nodes, links: rules.links }, link).length === 0)
        const without = live(operations, at)
        // A merge of two who were one already is refused; without the link it would not have been.
        fc.pre(
          operations.every(
            ({ kind }, index) =>
              kind === 'say' || (links[index] === null) === (without.links[index] === null) || index === at,
          ),
        )
        rules.reverse(link, true)
        expect(groupsOf(rules.people)).toEqual(groupsOf(without.rules.people))
      }),
      { numRuns: 500 },
    )
  })

  test('does not matter in which order the rest was said', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(), { minLength: 25, maxLength: 25 }), (operations, keys) => {
        const { rules } = live(operations, null)
        const shuffled = rules.links.toSorted(
          (left, right) => (keys[left.seq % 25] ?? 0) - (keys[right.seq % 25] ?? 0),
        )
        expect(groupsOf(partition({ nodes: rules.nodes, links: shuffled }))).toEqual(groupsOf(rules.people))
      }),
      { numRuns: 200 },
    )
  })
})

describe('a merge on purpose', () => {
  const known = (...ids: string[]) => {
    const rules = new Rules()
    for (const [time, id] of ids.entries()) rules.see(id, time)
    return rules
  }
  const shown = (rules: Rules, id: string) => rules.people.get(id)

  test('shows the id of its survivor, and its reversal each their own again', () => {
    const rules = known('u1', 'u2')
    const { link } = rules.merge('u2', 'u1')
    expect([shown(rules, 'u1'), shown(rules, 'u2')]).toEqual(['u2', 'u2'])
    if (link !== null) rules.reverse(link, true)
    expect([shown(rules, 'u1'), shown(rules, 'u2')]).toEqual(['u1', 'u2'])
  })

  test('shows the id that its survivor had, which may be that of a device, as long as the device is theirs', () => {
    const rules = known('a1', 'u1', 'u2')
    rules.say('u2', 'a1')
    rules.merge('u2', 'u1')
    expect(shown(rules, 'u1')).toBe('a1')
    rules.see('u3', 9)
    rules.say('u3', 'a1')
    expect([shown(rules, 'u1'), shown(rules, 'u2'), shown(rules, 'a1')]).toEqual(['u2', 'u2', 'a1'])
  })

  test('composes with others: the latest decides, and without it the one before', () => {
    const rules = known('u1', 'u2', 'u3')
    rules.merge('u2', 'u1')
    const { link } = rules.merge('u3', 'u1')
    expect(['u1', 'u2', 'u3'].map((id) => shown(rules, id))).toEqual(['u3', 'u3', 'u3'])
    if (link !== null) rules.reverse(link, false)
    expect(['u1', 'u2', 'u3'].map((id) => shown(rules, id))).toEqual(['u2', 'u2', 'u3'])
    rules.merge('u1', 'u3')
    expect(['u1', 'u2', 'u3'].map((id) => shown(rules, id))).toEqual(['u2', 'u2', 'u2'])
  })
})

describe('two users', () => {
  test('are never one person by what is said, however many devices and addresses they share', () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 40 }), (pairs) => {
        const rules = new Rules()
        for (const [time, [x, y]] of pairs.entries()) {
          if (x === y) continue
          for (const id of [x, y]) rules.see(id, time)
          rules.say(x, y)
        }
        const users = [...rules.people].filter(([id]) => id.startsWith('u')).map(([, person]) => person)
        expect(new Set(users).size).toBe(users.length)
      }),
      { numRuns: 300 },
    )
  })

  test('who share a device get nothing of it, in any order and however often they come back', () => {
    const rules = new Rules()
    for (const id of ['a1', 'u1', 'u2', 'u3']) rules.see(id, 0)
    expect(rules.say('u1', 'a1').verdict).toBe('joined')
    expect(rules.say('u2', 'a1').verdict).toBe('shared_device')
    expect(rules.say('u1', 'a1').verdict).toBe('shared_device')
    expect(rules.say('u3', 'a1').verdict).toBe('shared_device')
    expect(new Set(rules.people.values()).size).toBe(4)
  })
})
