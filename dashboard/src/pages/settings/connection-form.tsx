import { type WebhookProvider, webhookProviders } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Code } from '../../kit/code.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { workspaceText } from '../../text/workspace.ts'
import { vendorName } from './vendor-name.ts'

/** A vendor and its signing secret; the answer is the URL to register there. */
export function ConnectionForm() {
  const { siteId } = usePlace()
  const [provider, setProvider] = useState<WebhookProvider>('stripe')
  const [secret, setSecret] = useState('')
  const [isTest, setTest] = useState(false)
  const connecting = useWrite('createWebhookConnection', ['listWebhookConnections'])
  const submit = async () => {
    const body = { provider, site_id: siteId, secrets: [secret.trim()], include_test: isTest }
    if ((await connecting.send({ body })) !== null) setSecret('')
  }
  const words = workspaceText.webhooks
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <SelectField
          label={words.provider}
          value={provider}
          choices={webhookProviders.map((value) => ({ value, label: vendorName(value) }))}
          onChange={setProvider}
        />
        <TextField
          label={words.secret}
          hint={words.secretHint}
          type="password"
          name="secrets"
          value={secret}
          onChange={setSecret}
          isRequired
        />
      </div>
      <Check label={words.includeTest} isOn={isTest} onChange={setTest} />
      <ProblemNote error={connecting.error} />
      {connecting.result !== null && (
        <div className="note accept stack tight" role="status">
          <strong>{words.register(vendorName(connecting.result.provider))}</strong>
          <Code label={words.address}>{connecting.result.url}</Code>
        </div>
      )}
      <div>
        <Button type="submit" look="primary" disabled={connecting.isSending}>
          {words.connect}
        </Button>
      </div>
    </Form>
  )
}
