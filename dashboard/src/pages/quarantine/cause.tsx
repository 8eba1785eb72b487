import { codeWords } from '../../code-words.ts'
import { gateText } from '../../text/gate.ts'

const explained = Object.entries(gateText.causes)

export function Cause({ code }: { code: string }) {
  const words = explained.find(([known]) => known === code)?.[1]
  return (
    <div className="stack tight">
      <strong title={code}>{codeWords('issues', code)}</strong>
      {words !== undefined && <span className="soft small">{words}</span>}
    </div>
  )
}
