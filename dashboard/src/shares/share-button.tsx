import { Suspense, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Loading } from '../kit/states.tsx'
import { page } from '../shell/load-page.ts'
import { useMay } from '../shell/session.ts'
import { text } from '../text.ts'
import type { ShareTarget } from './share-target.ts'

const ShareDialog = page(() => import('./share-dialog.tsx'))

/** Opens the links to a board, a report or the overview. */
export function ShareButton(target: ShareTarget) {
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMay('analytics:write')
  if (!mayWrite) return null
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {text.shares.share}
      </Button>
      <Dialog title={text.shares.title(target.name)} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && (
          <Suspense fallback={<Loading lines={6} />}>
            <ShareDialog {...target} />
          </Suspense>
        )}
      </Dialog>
    </>
  )
}
