import { type Invitation, type Member, type Role, roles } from '@assay/contract'
import { useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { formatDay } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { useMay, useSession } from '../../shell/session.ts'
import { workspaceText } from '../../text/workspace.ts'
import { text } from '../../text.ts'

/** Who is in the workspace, with which role, and who was asked to join. */
export default function MembersPage() {
  const mayWrite = useMay('members:write')
  return (
    <Page title={text.pages.members} lead={workspaceText.members.lead}>
      {mayWrite && (
        <Card title={workspaceText.members.invite}>
          <InviteForm />
        </Card>
      )}
      <Card title={text.pages.members}>
        <Members mayWrite={mayWrite} />
      </Card>
      <Card title={workspaceText.members.invitations}>
        <Invitations mayWrite={mayWrite} />
      </Card>
    </Page>
  )
}

/** No one can grant a role above their own. */
function useRoles(): readonly { value: Role; label: string }[] {
  const { role } = useSession()
  return roles
    .slice(0, roles.indexOf(role) + 1)
    .map((value) => ({ value, label: workspaceText.members.roles[value] }))
}

function InviteForm() {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const inviting = useWrite('inviteMember', ['listInvitations'])
  const say = useNotice()
  const choices = useRoles()
  const submit = async () => {
    const made = await inviting.send({ body: { email, role } })
    if (made === null) return
    if (made.link === null) say(workspaceText.members.invited(email))
    setEmail('')
  }
  const made = inviting.result
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <TextField
          label={workspaceText.members.email}
          name="email"
          type="email"
          value={email}
          onChange={setEmail}
          isRequired
        />
        <SelectField
          label={workspaceText.members.role}
          hint={workspaceText.members.means[role]}
          value={role}
          choices={choices}
          onChange={setRole}
        />
      </div>
      <ProblemNote error={inviting.error} />
      <div>
        <Button type="submit" look="primary" disabled={inviting.isSending}>
          {workspaceText.members.invite}
        </Button>
      </div>
      <div role="status">
        {made !== null && made.link !== null && (
          <div className="stack tight">
            <p>{workspaceText.members.handOver(made.email)}</p>
            <Code label={workspaceText.members.link}>{made.link}</Code>
          </div>
        )}
      </div>
    </Form>
  )
}

function Members({ mayWrite }: { mayWrite: boolean }) {
  const { me, site } = useSession()
  const members = useList('listMembers', (cursor) => ({
    query: { limit: 100, ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <ListTable
      of={members}
      caption={text.pages.members}
      keyOf={({ id }) => id}
      empty={{ title: workspaceText.members.empty }}
      columns={[
        {
          title: workspaceText.members.who,
          cell: ({ id, name, email }) => (
            <div className="stack tight">
              <span className="row">
                <strong>{name || email}</strong>
                {id === me.user.id && <Badge>{workspaceText.members.you}</Badge>}
              </span>
              {name !== '' && <span className="soft small">{email}</span>}
            </div>
          ),
        },
        {
          title: workspaceText.members.role,
          cell: (member) => <RoleOf member={member} mayWrite={mayWrite} />,
        },
        {
          title: workspaceText.members.since,
          kind: 'time',
          cell: ({ joined_at }) => formatDay(joined_at, site.timezone),
        },
        {
          title: text.acts.act,
          kind: 'act',
          cell: (member) => (mayWrite ? <RemoveMember member={member} /> : null),
        },
      ]}
    />
  )
}

function RoleOf({ member, mayWrite }: { member: Member; mayWrite: boolean }) {
  const changing = useWrite('changeMember', ['listMembers'])
  const choices = useRoles()
  const isAbove = !choices.some(({ value }) => value === member.role)
  if (!mayWrite || isAbove) return workspaceText.members.roles[member.role]
  return (
    <div className="stack tight">
      <Select
        name={workspaceText.members.roleOf(member.email)}
        value={member.role}
        choices={choices}
        onChange={(role) => void changing.send({ params: { id: member.id }, body: { role } })}
      />
      <ProblemNote error={changing.error} />
    </div>
  )
}

function RemoveMember({ member }: { member: Member }) {
  const removing = useWrite('removeMember', ['listMembers', 'listInvitations'])
  const { me } = useSession()
  if (member.id === me.user.id) return null
  const confirm = async () => (await removing.send({ params: { id: member.id } })) !== null
  return (
    <Confirm
      act={text.acts.remove}
      label={`${text.acts.remove}: ${member.email}`}
      title={workspaceText.members.removeTitle(member.email)}
      onConfirm={confirm}
      error={removing.error}
      isSending={removing.isSending}
    >
      <p>{workspaceText.members.removeMeans}</p>
    </Confirm>
  )
}

function Invitations({ mayWrite }: { mayWrite: boolean }) {
  const { site } = useSession()
  const invitations = useList('listInvitations', (cursor) => ({
    query: { limit: 50, ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <ListTable
      of={invitations}
      caption={workspaceText.members.invitations}
      keyOf={({ id }) => id}
      empty={{ title: workspaceText.members.noInvitations }}
      columns={[
        { title: workspaceText.members.email, cell: ({ email }) => email },
        { title: workspaceText.members.role, cell: ({ role }) => workspaceText.members.roles[role] },
        {
          title: workspaceText.members.status,
          cell: ({ status }) => <Badge>{workspaceText.members.statuses[status]}</Badge>,
        },
        {
          title: workspaceText.members.expires,
          kind: 'time',
          cell: ({ expires_at }) => formatDay(expires_at, site.timezone),
        },
        {
          title: text.acts.act,
          kind: 'act',
          cell: (invitation) =>
            mayWrite && invitation.status === 'pending' ? <RevokeInvitation invitation={invitation} /> : null,
        },
      ]}
    />
  )
}

function RevokeInvitation({ invitation }: { invitation: Invitation }) {
  const revoking = useWrite('revokeInvitation', ['listInvitations'])
  return (
    <>
      <Button
        isCompact
        aria-label={`${workspaceText.members.revoke}: ${invitation.email}`}
        onClick={() => void revoking.send({ params: { id: invitation.id } })}
      >
        {workspaceText.members.revoke}
      </Button>
      <ProblemNote error={revoking.error} />
    </>
  )
}
