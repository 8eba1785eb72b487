import { type CodeLanguage, environments } from '@assay/contract'
import { useRead } from '../../api/reads.ts'
import { Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'

const languages: readonly CodeLanguage[] = ['typescript', 'python', 'swift']

/** The live contracts as code, so that typos do not compile. */
export default function CodePage() {
  const { parameters } = usePlace()
  const way = useWay()
  const language = languages.find((name) => name === parameters.get('language')) ?? 'typescript'
  const environment = environments.find((name) => name === parameters.get('environment')) ?? 'production'
  const code = useRead('generateCode', { query: { language, environment } })
  return (
    <Page title={text.pages.code} lead={eventText.code.lead}>
      <Card>
        <div className="form-row">
          <SelectField
            label={eventText.code.language}
            value={language}
            choices={languages.map((value) => ({ value, label: eventText.code.languages[value] }))}
            onChange={(value) => way.go(way.here({ language: value }))}
          />
          <SelectField
            label={eventText.code.environment}
            value={environment}
            choices={environments.map((value) => ({ value, label: eventText.code.environments[value] }))}
            onChange={(value) => way.go(way.here({ environment: value }))}
          />
        </div>
      </Card>
      <Shown of={code} lines={12}>
        {({ files }) => (
          <div className="stack">
            {files.map(({ path, content }) => (
              <Card key={path} title={path}>
                <Code label={path}>{content}</Code>
              </Card>
            ))}
          </div>
        )}
      </Shown>
    </Page>
  )
}
