import type { Share } from '@assay/contract'
import { useWrite } from '../api/reads.ts'
import { Confirm } from '../kit/confirm.tsx'
import { useNotice } from '../kit/notice.tsx'
import { text } from '../text.ts'

export function RevokeShare({ share }: { share: Share }) {
  const revoke = useWrite('revokeShare', ['listShares'])
  const say = useNotice()
  const words = text.shares
  const confirm = async () => {
    const isGone = (await revoke.send({ params: { id: share.id } })) !== null
    if (isGone) say(words.revoked)
    return isGone
  }
  return (
    <Confirm
      act={words.revoke}
      title={words.revokeTitle}
      error={revoke.error}
      isSending={revoke.isSending}
      onConfirm={confirm}
    >
      <p>{words.revokeDetail}</p>
    </Confirm>
  )
}
