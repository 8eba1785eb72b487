import { consentRegimes, deniedActs, type Site } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { SiteForm } from '../../shell/first-steps.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { SiteFields } from '../../shell/site-fields.tsx'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'

/** The site that is shown: name, time, money and by which law it asks for consent; and further sites. */
export default function SitesPage() {
  const { site } = useSession()
  const { workspaceId } = usePlace()
  const mayWrite = useMay('sites:write')
  return (
    <Page title={text.pages.sites} lead={text.sites.lead}>
      <Card title={site.name}>
        {mayWrite ? (
          <EditForm key={site.id} site={site} />
        ) : (
          <Facts
            of={[
              [text.sites.domain, site.domain],
              [text.sites.timezone, site.timezone],
              [text.sites.currency, site.currency ?? text.rates.noCurrency],
              [text.sites.regime, regimeText(site.consentRegime)],
            ]}
          />
        )}
      </Card>
      {mayWrite && (
        <>
          <Card title={text.sites.token}>
            <Token site={site} />
          </Card>
          <Card title={text.sites.another}>
            <SiteForm workspaceId={workspaceId} />
          </Card>
        </>
      )}
    </Page>
  )
}

const regimeText = (regime: Site['consentRegime']) =>
  regime === null ? peopleText.consent.none : peopleText.consent.regimes[regime]

function EditForm({ site }: { site: Site }) {
  const { name, domain, timezone, currency, consentRegime, onDenied } = site
  const [fields, setFields] = useState({ name, domain, timezone, currency })
  const [regime, setRegime] = useState<string>(consentRegime ?? 'none')
  const [denied, setDenied] = useState(onDenied)
  const saving = useWrite('updateSite', ['listSites', 'getOverview'])
  const say = useNotice()
  const set = (field: keyof typeof fields) => (value: string) => setFields({ ...fields, [field]: value })
  const submit = async () => {
    const chosen = consentRegimes.find((known) => known === regime) ?? null
    const { currency: own, ...rest } = fields
    const body = {
      ...rest,
      ...(own !== null && own !== '' && { currency: own }),
      consentRegime: chosen,
      onDenied: denied,
    }
    if ((await saving.send({ params: { id: site.id }, body })) !== null) say(text.sites.saved)
  }
  return (
    <Form onSubmit={submit}>
      <SiteFields fields={fields} onChange={set} />
      <div className="form-row">
        <SelectField
          label={text.sites.regime}
          hint={text.sites.regimeHint}
          value={regime}
          choices={[
            { value: 'none', label: peopleText.consent.none },
            ...consentRegimes.map((value) => ({
              value: String(value),
              label: peopleText.consent.regimes[value],
            })),
          ]}
          onChange={setRegime}
        />
        <SelectField
          label={text.sites.onDenied}
          value={denied}
          choices={deniedActs.map((value) => ({ value, label: text.sites.deniedActs[value] }))}
          onChange={setDenied}
        />
      </div>
      <ProblemNote error={saving.error} />
      <div>
        <Button type="submit" look="primary" disabled={saving.isSending}>
          {text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

function Token({ site }: { site: Site }) {
  const rotating = useWrite('rotateSiteToken', ['listSites'])
  const token = rotating.result?.ingestToken ?? site.ingestToken
  return (
    <div className="stack">
      <p className="soft">{text.sites.tokenMeans}</p>
      {token === undefined ? (
        <p className="soft small">{text.sites.tokenHidden}</p>
      ) : (
        <Code label={text.sites.token}>{token}</Code>
      )}
      <div>
        <Confirm
          act={text.sites.rotate}
          title={text.sites.rotate}
          onConfirm={async () => (await rotating.send({ params: { id: site.id } })) !== null}
          error={rotating.error}
          isSending={rotating.isSending}
        >
          <p>{text.sites.rotateMeans}</p>
        </Confirm>
      </div>
    </div>
  )
}
