import { useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Empty, NoPermission, Shown } from '../../kit/states.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { Confidence } from './confidence.tsx'
import { PersonPage } from './person-page.tsx'

const types = ['user_id', 'email', 'phone', 'anonymous_id', 'device_id', 'person_id'] as const

/** People are found by what identifies them; without that there is no list to leaf through. */
export default function PeoplePage({ rest }: PageProps) {
  const mayRead = useMay('identity:read')
  if (!mayRead) {
    return (
      <Page title={text.pages.people}>
        <Card>
          <NoPermission />
        </Card>
      </Page>
    )
  }
  return rest === '' ? <Search /> : <PersonPage key={rest} personId={rest} />
}

function Search() {
  const { parameters } = usePlace()
  const way = useWay()
  const type = types.find((name) => name === parameters.get('type')) ?? 'user_id'
  const value = parameters.get('value') ?? ''
  const [typed, setTyped] = useState(value)
  const [chosen, setChosen] = useState(type)
  const submit = () => {
    way.go(way.here({ type: chosen, value: typed.trim() }))
  }
  return (
    <Page
      title={text.pages.people}
      lead={text.people.lead}
      acts={<LinkButton href={way.to('ledger')}>{text.pages.ledger}</LinkButton>}
    >
      <Card>
        <Form className="form-row" onSubmit={submit} isSearch>
          <SelectField
            label={text.people.identifier}
            value={chosen}
            choices={types.map((name) => ({ value: name, label: text.people.types[name] }))}
            onChange={setChosen}
          />
          <TextField label={text.people.value} type="search" value={typed} onChange={setTyped} isRequired />
          <div>
            <Button type="submit" look="primary">
              {text.people.find}
            </Button>
          </div>
        </Form>
      </Card>
      {value !== '' && <Found key={`${type} ${value}`} type={type} value={value} />}
    </Page>
  )
}

function Found({ type, value }: { type: string; value: string }) {
  const way = useWay()
  const answer = useRead('resolveIdentity', { body: { identifiers: [{ type, value }], read_only: true } })
  const words = text.people
  return (
    <Card title={words.found}>
      <Shown of={answer}>
        {({ person_id, confidence, step, rejected }) =>
          person_id === null ? (
            <Empty title={words.nobody}>{rejected.map(({ reason }) => reason).join(' ')}</Empty>
          ) : (
            <div className="stack">
              <Facts
                of={[
                  [words.person, <code key="id">{person_id}</code>],
                  [words.confidence, <Confidence key="confidence" of={confidence} />],
                  [words.step, words.steps[step - 1] ?? String(step)],
                ]}
              />
              <div>
                <LinkButton look="primary" href={way.to(`people/${person_id}`)}>
                  {words.toProfile}
                </LinkButton>
              </div>
            </div>
          )
        }
      </Shown>
    </Card>
  )
}
