import json

from openai import OpenAI
from words import MAX_TOKENS, MODEL, data_url


def messages(turn):
    if "user" in turn:
        text = turn["user"]
        if "png" not in turn:
            return [{"role": "user", "content": text}]
        image = {"type": "image_url", "image_url": {"url": data_url(turn["png"])}}
        return [{"role": "user", "content": [{"type": "text", "text": text}, image]}]
    if "assistant" in turn:
        return [{"role": "assistant", "content": turn["assistant"]}]
    if "native" in turn:
        return [turn["native"]]
    return [{"role": "tool", "tool_call_id": one["id"], "content": one["text"]} for one in turn["results"]]


def opened(url, _):
    client = OpenAI(base_url=f"{url}/v1", api_key="any")

    def ask(question, stream):
        body = {"model": MODEL, "max_completion_tokens": MAX_TOKENS}
        body["messages"] = [message for turn in question["turns"] for message in messages(turn)]
        if "system" in question:
            body["messages"].insert(0, {"role": "system", "content": question["system"]})
        if "tools" in question:
            body["tools"] = [{"type": "function", "function": {**tool, "strict": True}} for tool in question["tools"]]
        if "schema" in question:
            schema = {"name": "answer", "strict": True, "schema": question["schema"]}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if question.get("reasoning"):
            body["reasoning_effort"] = "high"
        if stream:
            with client.chat.completions.stream(**body, stream_options={"include_usage": True}) as events:
                answer = events.get_final_completion()
        else:
            answer = client.chat.completions.create(**body)
        message = answer.choices[0].message
        return {
            "text": message.content or "",
            "calls": [
                {"id": call.id, "name": call.function.name, "arguments": json.loads(call.function.arguments)}
                for call in message.tool_calls or []
            ],
            "reasoning": getattr(message, "reasoning_content", None),
            "tokens": {"input": answer.usage.prompt_tokens, "output": answer.usage.completion_tokens},
            "native": message,
        }

    return ask
