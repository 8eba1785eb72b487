import { nameStages, pathStages } from './stages.ts'

/** How far in the shop an event is, as SQL (stages.ts). */
export const stageExpression = `multiIf(
      name = '$purchase', 3,
      startsWith(name, '$') OR name = 'error', ${byPath()},
      ${nameStages.map(({ expression, stage }) => `match(name, '${expression}'), ${stage},`).join('\n      ')}
      ${byPath()})`

/** Paths repeat: put into a dictionary, each is looked at once in every block of events. */
function byPath(): string {
  const path = 'lower(toLowCardinality(path))'
  const cases = pathStages.map(({ expression, stage }) => `match(${path}, '${expression}'), ${stage}`)
  return `multiIf(
        ${cases.join(',\n        ')}, 0)`
}
