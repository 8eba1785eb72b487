import type { ExchangeRates } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatMinute, readNumber } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Empty, Loading, ProblemNote, Shown } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** What other currencies are worth, for all reports of the workspace. */
export default function RatesPage() {
  const rates = useRead('getExchangeRates', {})
  const mayWrite = useMay('sites:write')
  const { site } = useSession()
  // Together with the rates, so that the form does not move when the currencies seen are known.
  const { isPending } = useSeen(!mayWrite)
  return (
    <Page title={text.pages.rates} lead={text.rates.lead}>
      <Card title={text.rates.list}>
        <p className="soft">
          {site.currency === null ? text.rates.noCurrency : text.rates.into(site.currency)}
        </p>
        <Shown of={rates}>
          {(data) => {
            if (!mayWrite) return <PlainRates rates={data} />
            return isPending ? <Loading /> : <RatesForm rates={data} />
          }}
        </Shown>
      </Card>
    </Page>
  )
}

function PlainRates({ rates: { base, rates } }: { rates: ExchangeRates }) {
  if (base === null || rates.length === 0) {
    return <Empty title={text.rates.empty}>{text.rates.emptyDetail}</Empty>
  }
  return (
    <Facts
      of={rates.map(({ currency, rate }) => [currency, text.rates.means(currency, String(rate), base)])}
    />
  )
}

/** A currency that was not used for so long needs no rate. */
const seenWindow = '90d'

function useSeen(isOff = false) {
  const { siteId } = usePlace()
  return useRead('getOverview', { query: { siteId, window: seenWindow } }, { isOff })
}

type Line = { key: number; currency: string; rate: string }

function RatesForm({ rates }: { rates: ExchangeRates }) {
  const { site } = useSession()
  const [base, setBase] = useState(rates.base ?? site.currency ?? '')
  const [lines, setLines] = useState<readonly Line[]>(() =>
    rates.rates.map(({ currency, rate }, key) => ({ key, currency, rate: String(rate) })),
  )
  const saving = useWrite('setExchangeRates', ['getExchangeRates', 'getOverview', 'getRevenueImpact'])
  const say = useNotice()
  const parsed = lines.map(({ currency, rate }) => ({
    currency: currency.trim().toUpperCase(),
    rate: readNumber(rate) ?? 0,
  }))
  const submit = async () => {
    const body = { base: base.trim().toUpperCase(), rates: parsed }
    if ((await saving.send({ body })) !== null) say(text.rates.saved)
  }
  const change = (key: number, changed: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...changed } : line)))
  const add = (currency = '') =>
    setLines([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, currency, rate: '' }])
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <TextField
          label={text.rates.base}
          hint={text.rates.baseHint}
          name="base"
          value={base}
          onChange={setBase}
          isRequired
        />
      </div>
      {lines.length === 0 && <Empty title={text.rates.empty}>{text.rates.emptyDetail}</Empty>}
      {lines.map((line, index) => (
        <RateLine
          key={line.key}
          line={line}
          index={index}
          base={base.toUpperCase()}
          onChange={(changed) => change(line.key, changed)}
          onRemove={() => setLines(lines.filter(({ key }) => key !== line.key))}
        />
      ))}
      <div>
        <Button isCompact onClick={() => add()}>
          {text.rates.add}
        </Button>
      </div>
      <Seen known={parsed.map(({ currency }) => currency)} onAdd={add} />
      <Standing rates={rates} />
      <ProblemNote error={saving.error} />
      <div>
        <Button type="submit" look="primary" disabled={saving.isSending}>
          {text.rates.save}
        </Button>
      </div>
    </Form>
  )
}

/** Currencies of amounts that arrived and have no rate: what to add. */
function Seen({ known, onAdd }: { known: readonly string[]; onAdd: (currency: string) => void }) {
  const missing = useSeen().data?.currencies.withoutRate.filter((currency) => !known.includes(currency)) ?? []
  if (missing.length === 0) return null
  return (
    <p className="row">
      {text.rates.seen}
      {missing.map((currency) => (
        <Button key={currency} isCompact onClick={() => onAdd(currency)}>
          {text.rates.addSeen(currency)}
        </Button>
      ))}
    </p>
  )
}

type RateLineProps = {
  line: Line
  index: number
  base: string
  onChange: (changed: Partial<Line>) => void
  onRemove: () => void
}

function RateLine({ line, index, base, onChange, onRemove }: RateLineProps) {
  return (
    <div className="form-row">
      <TextField
        label={text.rates.currency}
        hint={text.rates.currencyHint}
        name={`rates.${index}.currency`}
        value={line.currency}
        onChange={(currency) => onChange({ currency })}
        isRequired
      />
      <TextField
        label={text.rates.rate}
        hint={text.rates.rateHint(base)}
        name={`rates.${index}.rate`}
        value={line.rate}
        isNumber
        onChange={(rate) => onChange({ rate })}
        isRequired
      />
      <div>
        <Button
          isCompact
          aria-label={text.rates.remove(line.currency || text.rates.aCurrency)}
          onClick={onRemove}
        >
          {text.acts.remove}
        </Button>
      </div>
    </div>
  )
}

/** What holds, and what stands in the way. */
function Standing({ rates }: { rates: ExchangeRates }) {
  const { site } = useSession()
  const reached = [rates.base, ...rates.rates.map(({ currency }) => currency)]
  const { currency } = site
  const isUnreached = currency !== null && rates.rates.length > 0 && !reached.includes(currency)
  return (
    <>
      {isUnreached && <p className="note warn">{text.rates.unreached(currency)}</p>}
      {rates.updatedAt !== null && (
        <p className="soft small">{text.rates.since(formatMinute(rates.updatedAt, site.timezone))}</p>
      )}
    </>
  )
}
