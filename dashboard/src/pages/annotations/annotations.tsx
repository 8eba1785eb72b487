import type { Annotation } from '@assay/contract'
import { useState } from 'react'
import { AddAnnotation } from '../../annotations/add-annotation.tsx'
import AnnotationForm from '../../annotations/annotation-form.tsx'
import { useList, useWrite } from '../../api/reads.ts'
import { formatMinute } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { usePeriod } from '../../shell/range.ts'
import { RangeControls } from '../../shell/range-controls.tsx'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

const pageSize = 100

/** What is marked on the charts of a period. */
export default function AnnotationsPage() {
  const period = usePeriod()
  const { parameters } = usePlace()
  const { site } = useSession()
  const words = text.annotations
  const zone = parameters.get('timezone') ?? site.timezone
  const mayWrite = useMay('analytics:write')
  const annotations = useList('listAnnotations', (cursor) => ({
    query: { ...period, order: 'newest', limit: pageSize, ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <Page
      title={text.pages.annotations}
      lead={words.lead}
      acts={
        <>
          <RangeControls range="days" />
          <AddAnnotation />
        </>
      }
    >
      <Card>
        <ListTable
          caption={text.pages.annotations}
          of={annotations}
          empty={{ title: words.none, detail: words.noneDetail }}
          keyOf={({ id }) => id}
          columns={[
            { title: words.text, cell: (one) => <Words of={one} /> },
            {
              title: words.at,
              kind: 'time',
              sortBy: ({ at }) => at,
              cell: ({ at }) => formatMinute(at, zone),
            },
            {
              title: words.kind,
              sortBy: ({ kind }) => kind,
              cell: ({ kind }) => <Badge>{words.kinds[kind]}</Badge>,
            },
            {
              title: words.scope,
              kind: 'time',
              cell: ({ siteId }) => (siteId === null ? words.scopes.all : words.scopes.site),
            },
            {
              title: text.acts.act,
              kind: 'act',
              cell: (one) =>
                mayWrite &&
                one.kind === 'manual' && (
                  <div className="row end">
                    <EditAnnotation annotation={one} />
                    <DeleteAnnotation annotation={one} />
                  </div>
                ),
            },
          ]}
        />
      </Card>
    </Page>
  )
}

function Words({ of: { text: written, link } }: { of: Annotation }) {
  const shown = written === '' ? text.annotations.empty : written
  if (link === null) return <span className="break">{shown}</span>
  return (
    <a className="break" href={link} rel="noreferrer" target="_blank">
      {shown}
    </a>
  )
}

function EditAnnotation({ annotation }: { annotation: Annotation }) {
  const [isOpen, setOpen] = useState(false)
  const words = text.annotations
  return (
    <>
      <Button
        isCompact
        aria-label={words.editOf(annotation.text)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.edit}
      </Button>
      <Dialog title={words.editOf(annotation.text)} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <AnnotationForm annotation={annotation} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function DeleteAnnotation({ annotation }: { annotation: Annotation }) {
  const remove = useWrite('deleteAnnotation', ['listAnnotations'])
  const say = useNotice()
  const words = text.annotations
  const confirm = async () => {
    const isGone = (await remove.send({ params: { id: annotation.id } })) !== null
    if (isGone) say(words.deleted)
    return isGone
  }
  return (
    <Confirm
      act={words.delete}
      label={words.deleteOf(annotation.text)}
      title={words.deleteTitle}
      error={remove.error}
      isSending={remove.isSending}
      onConfirm={confirm}
    >
      <p className="break">{annotation.text}</p>
    </Confirm>
  )
}
