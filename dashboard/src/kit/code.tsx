import { text } from '../text.ts'
import { Button } from './button.tsx'
import { useNotice } from './notice.tsx'

export function Code({ label, children }: { label: string; children: string }) {
  const say = useNotice()
  const copy = () =>
    navigator.clipboard.writeText(children).then(
      () => say(text.acts.copied),
      () => say(text.acts.notCopied),
    )
  return (
    <div className={children.includes('\n') ? 'code lines' : 'code'}>
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls; a fieldset would be for a form */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the screen is scrolled by keys too */}
      <div className="scroll" role="group" aria-label={label} tabIndex={0}>
        <pre>
          <code>{children}</code>
        </pre>
      </div>
      <Button isCompact onClick={() => void copy()} aria-label={`${text.acts.copy}: ${label}`}>
        {text.acts.copy}
      </Button>
    </div>
  )
}
