import { Suspense, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Loading } from '../kit/states.tsx'
import { page } from '../shell/load-page.ts'
import { useMay } from '../shell/session.ts'
import { text } from '../text.ts'

const AnnotationForm = page(() => import('./annotation-form.tsx'))

/** Next to a chart, or above the list. */
export function AddAnnotation({ isSmall = false }: { isSmall?: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMay('analytics:write')
  const words = text.annotations
  if (!mayWrite) return null
  return (
    <>
      <Button
        isCompact={isSmall}
        look={isSmall ? 'ghost' : 'primary'}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.add}
      </Button>
      <Dialog title={words.add} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && (
          <Suspense fallback={<Loading />}>
            <AnnotationForm annotation={null} onClose={() => setOpen(false)} />
          </Suspense>
        )}
      </Dialog>
    </>
  )
}
