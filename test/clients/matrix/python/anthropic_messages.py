from anthropic import Anthropic
from words import MAX_TOKENS, MODEL


def message(turn):
    if "user" in turn:
        text = turn["user"]
        if "png" not in turn:
            return {"role": "user", "content": text}
        source = {"type": "base64", "media_type": "image/png", "data": turn["png"]}
        return {"role": "user", "content": [{"type": "text", "text": text}, {"type": "image", "source": source}]}
    if "assistant" in turn:
        return {"role": "assistant", "content": turn["assistant"]}
    if "native" in turn:
        return {"role": "assistant", "content": turn["native"]}
    results = [
        {"type": "tool_result", "tool_use_id": one["id"], "content": one["text"]} for one in turn["results"]
    ]
    return {"role": "user", "content": results}


def opened(url, _):
    client = Anthropic(base_url=url, api_key="any")

    def ask(question, stream):
        body = {"model": MODEL, "max_tokens": MAX_TOKENS, "messages": [message(turn) for turn in question["turns"]]}
        if "system" in question:
            body["system"] = question["system"]
        if "tools" in question:
            body["tools"] = [
                {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
                for tool in question["tools"]
            ]
        if "schema" in question:
            body["output_config"] = {"format": {"type": "json_schema", "schema": question["schema"]}}
        if question.get("reasoning"):
            body["thinking"] = {"type": "enabled", "budget_tokens": 2000}
        if stream:
            with client.messages.stream(**body) as events:
                answer = events.get_final_message()
        else:
            answer = client.messages.create(**body)
        calls = [block for block in answer.content if block.type == "tool_use"]
        return {
            "text": "".join(block.text for block in answer.content if block.type == "text"),
            "calls": [{"id": one.id, "name": one.name, "arguments": one.input} for one in calls],
            "reasoning": "".join(block.thinking for block in answer.content if block.type == "thinking"),
            "tokens": {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens},
            "native": answer.content,
        }

    return ask
