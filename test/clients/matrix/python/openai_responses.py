import json

from openai import OpenAI
from words import MAX_TOKENS, MODEL, data_url


def items(turn):
    if "user" in turn:
        parts = [{"type": "input_text", "text": turn["user"]}]
        if "png" in turn:
            parts.append({"type": "input_image", "detail": "auto", "image_url": data_url(turn["png"])})
        return [{"role": "user", "content": parts}]
    if "assistant" in turn:
        return [{"role": "assistant", "content": turn["assistant"]}]
    if "native" in turn:
        return turn["native"]
    return [{"type": "function_call_output", "call_id": one["id"], "output": one["text"]} for one in turn["results"]]


def opened(url, _):
    client = OpenAI(base_url=f"{url}/v1", api_key="any")

    def ask(question, stream):
        body = {"model": MODEL, "max_output_tokens": MAX_TOKENS, "store": False}
        body["input"] = [item for turn in question["turns"] for item in items(turn)]
        if "system" in question:
            body["instructions"] = question["system"]
        if "tools" in question:
            body["tools"] = [{"type": "function", "strict": True, **tool} for tool in question["tools"]]
        if "schema" in question:
            form = {"type": "json_schema", "name": "answer", "strict": True, "schema": question["schema"]}
            body["text"] = {"format": form}
        if question.get("reasoning"):
            body["reasoning"] = {"effort": "high", "summary": "auto"}
            body["include"] = ["reasoning.encrypted_content"]
        if stream:
            with client.responses.stream(**body) as events:
                answer = events.get_final_response()
        else:
            answer = client.responses.create(**body)
        calls = [item for item in answer.output if item.type == "function_call"]
        thoughts = [part.text for item in answer.output if item.type == "reasoning" for part in item.summary]
        return {
            "text": answer.output_text,
            "calls": [{"id": one.call_id, "name": one.name, "arguments": json.loads(one.arguments)} for one in calls],
            "reasoning": "".join(thoughts),
            "tokens": {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens},
            "native": answer.output,
        }

    return ask
