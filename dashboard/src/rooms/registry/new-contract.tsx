import { Room } from '../../kit/card.tsx'
import { NoPermission } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { emptyDraft } from './draft.ts'
import { Editor } from './editor.tsx'

/** A contract for an event that has none; `key` in the address says for which. */
export function NewContract() {
  const { parameters } = usePlace()
  const mayWrite = useMay('registry:write')
  const named = (parameters.get('key') ?? '').split(',')
  const [key = '', ...properties] = named
  return (
    <Room title={text.registry.create} lead={text.registry.createLead}>
      {mayWrite ? <Editor initial={emptyDraft(key, properties)} isNew /> : <NoPermission />}
    </Room>
  )
}
