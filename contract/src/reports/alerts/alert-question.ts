import { type Static, Type } from 'typebox'
import { Filters } from '../../questions/filters/filters.ts'
import { type Metric, Question } from '../../questions/question.ts'
import { metricsMax } from '../../questions/question-limits.ts'
import { ofShape } from '../../questions/question-shapes.ts'
import { exact, OneOf } from '../../shapes.ts'
import { AlertCondition } from './alert-condition.ts'
import { alertIntervals } from './alert-terms.ts'

export const AlertQuestion = Type.Object(
  {
    metric: Type.Unsafe<Metric>({
      ...ofShape('Metric'),
      description:
        'As in POST /api/analytics/query: the name of a metric, {"as", "event", "math"}, or {"as", "formula"}',
    }),
    parts: Type.Optional(
      Type.Array(Type.Unsafe<Metric>(ofShape('Metric')), {
        maxItems: metricsMax - 1,
        description: 'Metrics that the formula names',
      }),
    ),
    filters: Type.Optional(Filters),
    includeBots: Type.Optional(Question.properties.includeBots),
  },
  exact,
)
export type AlertQuestion = Static<typeof AlertQuestion>

export const judged = {
  question: Type.Optional(AlertQuestion),
  reportId: Type.Optional(
    Type.String({ maxLength: 64, description: 'A saved report of kind query, in place of question' }),
  ),
  reportMetric: Type.Optional(
    Type.String({ maxLength: 40, description: 'Which metric of the report; the first unless said' }),
  ),
  interval: OneOf(alertIntervals, { description: 'In the time zone of the site' }),
  condition: AlertCondition,
}

export const oneOfTwo = 'Either `question` or `reportId`. '
