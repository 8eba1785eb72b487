import { codeWords } from '../../code-words.ts'
import { text } from '../../text.ts'

const explained = Object.entries(text.causes)

export function Cause({ code }: { code: string }) {
  const words = explained.find(([known]) => known === code)?.[1]
  return (
    <div className="stack tight">
      <strong title={code}>{codeWords('issues', code)}</strong>
      {words !== undefined && <span className="soft small">{words}</span>}
    </div>
  )
}
