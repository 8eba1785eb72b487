import type { InstallationCheck } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** Reads a page of the site and says what keeps its events from arriving. */
export function CheckCard() {
  const { siteId } = usePlace()
  const { site } = useSession()
  const mayCheck = useMay('analytics:write')
  const [url, setUrl] = useState(`https://${site.domain}/`)
  const checking = useWrite('checkInstallation', [])
  const words = text.start.check
  if (!mayCheck) return null
  return (
    <Card title={words.title}>
      <p className="soft">{words.lead}</p>
      <Form onSubmit={() => void checking.send({ body: { siteId, url: url.trim() } })}>
        <TextField label={words.url} name="url" value={url} onChange={setUrl} isRequired />
        <div>
          <Button type="submit" disabled={checking.isSending}>
            {checking.isSending ? words.checking : words.act}
          </Button>
        </div>
        <ProblemNote error={checking.error} />
      </Form>
      <div role="status">{checking.result !== null && <Findings of={checking.result} />}</div>
    </Card>
  )
}

const looks = { error: 'reject', warning: 'warn', ok: 'accept' } as const

function Findings({ of: { url, findings } }: { of: InstallationCheck }) {
  return (
    <div className="stack">
      <p className="soft small break">{text.start.check.read(url)}</p>
      {findings.map(({ code, level, detail, nextStep }) => (
        <div key={code} className={`note ${looks[level]}`}>
          <p className="break">{detail}</p>
          {nextStep !== null && <p className="small">{nextStep}</p>}
        </div>
      ))}
    </div>
  )
}
