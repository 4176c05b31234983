/** Set up: how clients are connected, whether all is well, who one is here, and what one wishes of the page. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DoctorPage, SentView, SetupPage } from '../../person/shapes.ts'
import { Fault, Heading, Loading } from '../parts/frame.tsx'
import { Words } from '../parts/words.tsx'
import { beCalled, boot, get, post } from '../state/api.ts'
import { useLive } from '../state/live.ts'
import { askForNotices, canNotice, isNoticing } from '../state/notices.ts'
import { project } from '../state/route.ts'
import { attempt, say } from '../state/toast.ts'
import { singleKeys, wantsNotices } from '../state/wishes.ts'

export function SetupView(): JSX.Element {
  const of = project.value ?? boot.value?.own ?? ''
  const { data, error, reload } = useLive(
    `setup ${of}`,
    (signal) => get<SetupPage>('/setup', { project: of }, signal),
    () => false,
  )
  const test = () =>
    attempt(async () => {
      const { warning } = await post<SentView>('/test', { project: of })
      say(warning ?? 'Sent. It arrives under Needs you.')
    })
  return (
    <>
      <Heading title="Set up" />
      <Fault text={error} retry={reload} />
      <section class="card" aria-label="Connect a client">
        <h2>All clients at once</h2>
        <p>In a repository of yours, in a terminal: it shows what it would write, and asks.</p>
        <CopyLine line="agentmail setup" what="agentmail setup" />
        {data && (
          <>
            <h2>One client on this machine</h2>
            <p class="quiet">{data.why}</p>
            <Lines lines={data.stdio} />
            <h2>
              A client elsewhere, to <Words text={of} />
            </h2>
            <Lines lines={data.http} />
          </>
        )}
      </section>
      <section class="card" aria-label="Try it">
        <h2>Try it</h2>
        <p>A message to you, from an agent that comes for this alone.</p>
        <button type="button" class="main" onClick={test}>
          Send a test message
        </button>
      </section>
      <Doctor of={of} />
      <Wishes />
      <p class="quiet">
        AgentMail {boot.value?.version} on {boot.value?.engine}, database{' '}
        <Words text={boot.value?.database ?? ''} />
      </p>
    </>
  )
}

function Lines({ lines }: { lines: SetupPage['stdio'] }): JSX.Element {
  return (
    <dl class="lines">
      {lines.map(({ client, line }) => (
        <div key={client}>
          <dt>{client}</dt>
          <dd>
            <CopyLine line={line} what={`the line for ${client}`} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function CopyLine({ line, what }: { line: string; what: string }): JSX.Element {
  const copy = () => attempt(() => navigator.clipboard.writeText(line), `Copied ${what}.`)
  return (
    <div class="copy">
      <code>
        <Words text={line} />
      </code>
      <button type="button" class="small" aria-label={`Copy ${what}`} onClick={copy}>
        Copy
      </button>
    </div>
  )
}

function Doctor({ of }: { of: string }): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  return (
    <section class="card" aria-label="What agentmail doctor says">
      <h2>Is all well?</h2>
      {isAsked ? (
        <DoctorSays of={of} />
      ) : (
        <button type="button" onClick={() => setAsked(true)}>
          Ask agentmail doctor
        </button>
      )}
    </section>
  )
}

const doctorWords: Record<string, string> = {
  problem: 'problem',
  warn: 'warning',
  ok: 'ok',
  off: 'off',
}

function DoctorSays({ of }: { of: string }): JSX.Element {
  const { data, error, reload } = useLive(
    `doctor ${of}`,
    (signal) => get<DoctorPage>('/doctor', { project: of }, signal),
    () => false,
  )
  const order = Object.keys(doctorWords)
  const checks = data?.checks.toSorted(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state),
  )
  return (
    <>
      <Fault text={error} retry={reload} />
      {!data && error === undefined && <Loading />}
      <ul class="plain-list doctor">
        {checks?.map(({ check, state, says, advice }, index) => (
          <li key={index}>
            <span class={`state doctor-${state}`}>{doctorWords[state] ?? state}</span>{' '}
            <strong>{check}</strong> <Words text={says} />
            {advice !== null && advice !== '' && (
              <div class="quiet">
                <Words text={advice} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {data && (
        <button type="button" onClick={reload}>
          Ask again
        </button>
      )}
    </>
  )
}

function Wishes(): JSX.Element {
  const [who, setWho] = useState(boot.value?.who ?? '')
  return (
    <section class="card" aria-label="You">
      <h2>You</h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          void attempt(() => beCalled(who), 'Your name is changed.')
        }}
      >
        <label>
          Your name, recorded with what you approve{' '}
          <input
            value={who}
            maxLength={255}
            autocomplete="username"
            onInput={(event) => setWho(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={who.trim() === '' || who === boot.value?.who}>
          Change it
        </button>
      </form>
      <p>
        <label>
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={() => (singleKeys.value = !singleKeys.value)}
          />{' '}
          Single keys do things (press ? for all of them)
        </label>
      </p>
      {canNotice() && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={isNoticing()}
              onChange={async ({ currentTarget }) => {
                if (isNoticing()) wantsNotices.value = false
                else if (!(await askForNotices()))
                  say('The browser does not allow notices of this page.', true)
                // Where nothing has changed it is not drawn again.
                currentTarget.checked = isNoticing()
              }}
            />{' '}
            Notices of the browser for what needs you
          </label>
        </p>
      )}
      {boot.value?.has_token && (
        <button
          type="button"
          onClick={() => attempt(() => post('/logout').then(() => location.reload()))}
        >
          Log out
        </button>
      )}
    </section>
  )
}
