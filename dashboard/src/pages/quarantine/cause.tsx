import { text } from '../../text.ts'

const explained = Object.entries(text.causes)

export function Cause({ code }: { code: string }) {
  const words = explained.find(([known]) => known === code)?.[1]
  return (
    <div className="stack tight">
      <code>{code}</code>
      {words !== undefined && <span className="soft small">{words}</span>}
    </div>
  )
}
