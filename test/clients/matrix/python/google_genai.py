import base64

from google import genai
from google.genai import types
from words import MAX_TOKENS, MODEL


def content(turn):
    if "user" in turn:
        parts = [types.Part.from_text(text=turn["user"])]
        if "png" in turn:
            parts.append(types.Part.from_bytes(data=base64.b64decode(turn["png"]), mime_type="image/png"))
        return types.Content(role="user", parts=parts)
    if "assistant" in turn:
        return types.Content(role="model", parts=[types.Part.from_text(text=turn["assistant"])])
    if "native" in turn:
        return types.Content(role="model", parts=turn["native"])
    results = [
        types.FunctionResponse(id=one["id"] or None, name=one["name"], response={"output": one["text"]})
        for one in turn["results"]
    ]
    return types.Content(role="user", parts=[types.Part(function_response=result) for result in results])


def opened(url, _):
    client = genai.Client(api_key="any", http_options=types.HttpOptions(base_url=url))

    def ask(question, stream):
        config = {"max_output_tokens": MAX_TOKENS}
        if "system" in question:
            config["system_instruction"] = question["system"]
        if "tools" in question:
            declared = [
                {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters_json_schema": tool["parameters"],
                }
                for tool in question["tools"]
            ]
            config["tools"] = [{"function_declarations": declared}]
        if "schema" in question:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = question["schema"]
        if question.get("reasoning"):
            config["thinking_config"] = {"include_thoughts": True, "thinking_budget": 2000}
        request = {"model": MODEL, "contents": [content(turn) for turn in question["turns"]], "config": config}
        if stream:
            chunks = list(client.models.generate_content_stream(**request))
        else:
            chunks = [client.models.generate_content(**request)]
        candidates = [chunk.candidates[0] for chunk in chunks if chunk.candidates]
        parts = [part for one in candidates if one.content for part in one.content.parts or []]
        calls = [part.function_call for part in parts if part.function_call]
        usage = chunks[-1].usage_metadata
        return {
            "text": "".join(part.text or "" for part in parts if not part.thought),
            "calls": [{"id": call.id or "", "name": call.name, "arguments": call.args or {}} for call in calls],
            "reasoning": "".join(part.text or "" for part in parts if part.thought),
            "tokens": {
                "input": usage.prompt_token_count,
                "output": (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
            },
            "native": parts,
        }

    return ask
