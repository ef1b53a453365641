import { useAnswer } from '../../api/answers.ts'
import { Failure } from '../../ui/notices.tsx'

/** The settings, and where they are written. */
export function ConfigurationTab() {
  const config = useAnswer('GET /api/admin/config', {}, 0)
  return (
    <>
      <div className="screen-head">
        <h1>Configuration</h1>
      </div>
      <Failure error={config.error} stale={config.data !== undefined} retry={() => void config.refresh()} />
      {config.data && (
        <p>
          The settings stand in <code>{config.data.config_path}</code>.
        </p>
      )}
    </>
  )
}
