import type { PropertyRule } from '@assay/contract'
import { useState } from 'react'
import { TextField } from '../../kit/field.tsx'
import { eventText } from '../../text/events.ts'
import { hasStray, limitsOf, withLimits } from './limits.ts'

type LimitsProps = { rule: PropertyRule; place: number; onChange: (rule: PropertyRule) => void }

/** Which values a property may have. Kept folded: most need no limits. */
export function RuleLimits({ rule, place, onChange }: LimitsProps) {
  const [limits, setLimits] = useState(limitsOf(rule))
  const words = eventText.registry
  if (rule.type !== 'string' && rule.type !== 'number') return null
  const set = (change: Partial<typeof limits>) => {
    const next = { ...limits, ...change }
    setLimits(next)
    onChange(withLimits(rule, next))
  }
  return (
    <details className="rule-limits">
      <summary className="small">{words.limitsOf(place)}</summary>
      <div className="form-row">
        <TextField
          label={words.allowed}
          hint={words.allowedHint}
          value={limits.allowed}
          fault={rule.type === 'number' && hasStray(limits.allowed) ? words.allNumbers : null}
          onChange={(allowed) => set({ allowed })}
        />
        {rule.type === 'string' ? (
          <TextField
            label={words.pattern}
            value={limits.pattern}
            onChange={(pattern) => set({ pattern })}
            isMono
          />
        ) : (
          <>
            <TextField
              label={words.least}
              isNumber
              value={limits.least}
              onChange={(least) => set({ least })}
            />
            <TextField label={words.most} isNumber value={limits.most} onChange={(most) => set({ most })} />
          </>
        )}
      </div>
    </details>
  )
}
