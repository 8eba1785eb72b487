import { type Static, Type } from 'typebox'
import { exact, OneOf } from '../../shapes.ts'
import { alertDirections, alertLimits, alertSensitivities } from './alert-terms.ts'

const value = Type.Number({ minimum: -alertLimits.valueMax, maximum: alertLimits.valueMax })
export const AlertCondition = Type.Union(
  [
    Type.Object({ type: OneOf(['above', 'below']), value }, exact),
    Type.Object(
      {
        type: Type.Literal('changedBy'),
        share: Type.Number({ minimum: 0.01, maximum: 100, description: '0.5 is 50 %' }),
        direction: OneOf(alertDirections),
      },
      exact,
    ),
    Type.Object({ type: Type.Literal('unusual'), sensitivity: OneOf(alertSensitivities) }, exact),
  ],
  {
    description:
      'above and below: more or less than a value. changedBy: by more than a share since the same hour or weekday a ' +
      'week before, or the week before. unusual: outside of what the same hours or weekdays of the weeks before ' +
      'were; low sensitivity needs the most',
  },
)
export type AlertCondition = Static<typeof AlertCondition>
