import { type Formula, printedText } from '@assay/contract'
import type { EventsRow, QueryParams } from '../../store/events.ts'
import type { Binder } from '../../store/filters/binder.ts'
import type { Aggregate, Plan } from './plan.ts'
import type { GroupDimension, Rows } from './row-store.ts'

/** Runs a statement within the bounds of a question. */
export type Run = <Row extends EventsRow>(sql: string, params: QueryParams) => Promise<Row[]>

/** A group of values that an answer shows. */
export type Group = { values: readonly string[] }
/** The same with a number by which the store finds it again. */
export type KeyedGroup = Group & { key: bigint }

export type GroupOrder =
  | { by: 'figure'; formula: Formula; isDescending: boolean }
  | { by: 'dimension'; index: number; isDescending: boolean }

const valuesIn = (groups: readonly unknown[]) => groups.map((_, index) => `d${index}`)

const keyOf = (values: readonly string[]) => `toString(cityHash64(${values.join(', ')})) AS key`

/** In the order asked for; equal ones by their values, so that an order is always the same. */
function orderSql(order: readonly GroupOrder[], values: readonly string[], { binder }: Plan): string {
  const terms = order.map((one) => {
    const direction = one.isDescending ? 'DESC' : 'ASC'
    const term = one.by === 'dimension' ? `d${one.index}` : formulaSql(one.formula, binder)
    return `${term} ${direction} NULLS LAST`
  })
  return [...terms, ...values].join(', ')
}

/** The first groups. */
export async function selectGroups(
  run: Run,
  rows: Rows,
  plan: Plan,
  dimensions: readonly GroupDimension[],
  order: readonly GroupOrder[],
  limit: number,
): Promise<KeyedGroup[]> {
  const values = valuesIn(dimensions)
  const ordered = orderSql(order, values, plan)
  const found = await run<Record<string, string>>(
    `SELECT ${[keyOf(values), ...values, ...plain(plan.aggregates)].join(', ')}
     FROM ${rows.sql} GROUP BY ${values.join(', ')}
     ORDER BY ${ordered} LIMIT {groupLimit:UInt32}`,
    { ...rows.params, ...plan.binder.params, groupLimit: limit },
  )
  return found.map((row) => toGroup(row, values))
}

const toGroup = (row: EventsRow, values: readonly string[]): KeyedGroup => ({
  key: BigInt(printedText(row.key)),
  values: values.map((name) => printedText(row[name])),
})

/** The first groups with their figures, and the figures over all, in one statement. */
export async function selectGroupFigures(
  run: Run,
  rows: Rows,
  plan: Plan,
  dimensions: readonly GroupDimension[],
  order: readonly GroupOrder[],
  limit: number,
): Promise<{ groups: KeyedGroup[]; figures: FigureRow[] }> {
  const values = valuesIn(dimensions)
  const ordered = orderSql(order, values, plan)
  const found = await run<FigureRow>(
    `SELECT grouping(${values.join(', ')}) > 0 AS is_total,
            ${[keyOf(values), ...values, ...plain(plan.aggregates)].join(', ')}
     FROM ${rows.sql} GROUP BY GROUPING SETS ((${values.join(', ')}), ())
     ORDER BY is_total DESC, ${ordered} LIMIT {groupLimit:UInt32}`,
    { ...rows.params, ...plan.binder.params, groupLimit: limit + 1 },
  )
  const own = found.filter(({ is_total }) => Number(is_total) === 0)
  return {
    groups: own.map((row) => toGroup(row, values)),
    figures: [
      ...found.filter(({ is_total }) => Number(is_total) === 1),
      ...own.map((row, index) => ({ ...row, place: index + 1 })),
    ],
  }
}

export type FigureRow = EventsRow & {
  bucket?: string | number
  place?: string | number
  is_total?: string | number
}

/** Figures of each interval and group, and over all. `place` is that of a group, from 1; 0 are all others. */
export function selectFigures(
  run: Run,
  rows: Rows,
  { aggregates }: Plan,
  groups: readonly KeyedGroup[] | null,
  hasTime: boolean,
): Promise<FigureRow[]> {
  const keys = [...(hasTime ? ['bucket'] : []), ...(groups === null ? [] : ['place'])]
  const source = placed(rows, groups)
  if (keys.length === 0) {
    return run(`SELECT 1 AS is_total, ${plain(aggregates).join(', ')} FROM ${source.sql}`, source.params)
  }
  return run(
    `SELECT grouping(${keys.join(', ')}) > 0 AS is_total, ${[...keys, ...plain(aggregates)].join(', ')}
     FROM ${source.sql} GROUP BY GROUPING SETS ((${keys.join(', ')}), ())`,
    source.params,
  )
}

/**
 * The same where each interval is counted with those before it: each is computed once, and then added to all to which
 * it belongs, so that a person who was there twice is still one.
 */
export function selectRolling(
  run: Run,
  rows: Rows,
  { aggregates }: Plan,
  groups: readonly KeyedGroup[] | null,
  points: number,
  span: number,
): Promise<FigureRow[]> {
  const source = placed(rows, groups)
  const keys = groups === null ? [] : ['place']
  const states = aggregates.map(
    ({ alias, name, parameters, args }) => `${name}State${parameters}(${args}) AS s_${alias}`,
  )
  const merged = aggregates.map(
    ({ alias, name, parameters, finish }) => `${finish(`${name}Merge${parameters}(s_${alias})`)} AS ${alias}`,
  )
  return run(
    `SELECT 0 AS is_total, {starts:Array(Int64)}[point] AS bucket, ${[...keys, ...merged].join(', ')}
     FROM (
       SELECT ${['indexOf({starts:Array(Int64)}, bucket) AS own_point', ...keys, ...states].join(', ')}
       FROM ${source.sql} GROUP BY ${['bucket', ...keys].join(', ')}
     )
     ARRAY JOIN range(toUInt32(own_point), toUInt32(least(own_point + {span:UInt32}, {points:UInt32} + 1))) AS point
     GROUP BY ${['point', ...keys].join(', ')}`,
    { ...source.params, points, span },
  )
}

function placed(rows: Rows, groups: readonly KeyedGroup[] | null): Rows {
  if (groups === null) return rows
  const [first] = groups
  if (first === undefined) return { ...rows, sql: `(SELECT *, 0 AS place FROM ${rows.sql})` }
  const hash = `cityHash64(${valuesIn(first.values).join(', ')})`
  return {
    sql: `(SELECT *, transform(${hash}, {groupKeys:Array(UInt64)}, {groupPlaces:Array(UInt32)}, toUInt32(0)) AS place
      FROM ${rows.sql})`,
    params: {
      ...rows.params,
      groupKeys: groups.map(({ key }) => key),
      groupPlaces: groups.map((_, index) => index + 1),
    },
  }
}

function plain(aggregates: readonly Aggregate[]): string[] {
  return aggregates.map(
    ({ alias, name, parameters, args, finish }) => `${finish(`${name}${parameters}(${args})`)} AS ${alias}`,
  )
}

/** NULL where a part is, or where something is divided by zero. */
function formulaSql(formula: Formula, binder: Binder): string {
  switch (formula.kind) {
    case 'number':
      return binder.bind('Float64', formula.value)
    case 'name':
      return `toFloat64(${formula.name})`
    case 'negative':
      return `(-${formulaSql(formula.of, binder)})`
    case 'binary': {
      const [left, right] = [formulaSql(formula.left, binder), formulaSql(formula.right, binder)]
      return formula.op === '/' ? `(${left} / nullIf(${right}, 0))` : `(${left} ${formula.op} ${right})`
    }
  }
}
